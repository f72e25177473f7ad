// Names at the top of the folder that memento uses when the store is on another file system. Saves do not record them,
// so restores do not remove them.

enum ReservedName {
  /// The store of a folder, or the pointer to it.
  static let store = Array(".memento".utf8)
  /// A staging folder.
  static let staging = Array(".memento-restore-".utf8)
  /// A file that a restore has moved aside.
  static let rescue = Array(".memento-rescue-".utf8)

  /// A pointer to the store that is not finished yet.
  static let pointer = Array(".memento-store-".utf8)

  static func isReserved(_ name: some Sequence<UInt8>) -> Bool {
    name.starts(with: staging) || name.starts(with: rescue) || name.starts(with: pointer)
  }
}
