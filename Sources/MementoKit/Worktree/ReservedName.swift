// Names at the top of the folder that are memento's own, for a store on another file system: never recorded, and so never
// removed by a restore.

enum ReservedName {
  /// The store of a folder, or what leads to it.
  static let store = Array(".memento".utf8)
  /// A staging folder.
  static let staging = Array(".memento-restore-".utf8)
  /// Something that was put aside.
  static let rescue = Array(".memento-rescue-".utf8)

  /// A pointer to the store while it is made.
  static let pointer = Array(".memento-store-".utf8)

  static func isReserved(_ name: some Sequence<UInt8>) -> Bool {
    name.starts(with: staging) || name.starts(with: rescue) || name.starts(with: pointer)
  }
}
