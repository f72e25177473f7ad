// Names at the top of the folder that are memento's own.

enum ReservedName {
  /// A staging folder, when the store is on another file system than the folder: never recorded.
  static let staging = Array(".memento-restore-".utf8)
}
