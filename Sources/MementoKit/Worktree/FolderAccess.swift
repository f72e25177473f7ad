// Whether a repository may read and write its folder. A store alone does not decide that: whoever made it could name any
// folder. The folder must say so too, by what its `.memento` is, or the user must name both, store and folder.

internal import MementoStore
internal import MementoSystem

enum FolderAccess: Sendable {
  /// Both agree. `needsPointer`: the folder has no `.memento`, so that nothing leads from it to the store yet.
  case attached(OpenFolder, needsPointer: Bool)
  /// The folder is out of bounds, for this reason. What only concerns the store works all the same.
  case detached(RepositoryError)
}

extension RepositoryError {
  /// Work on the folder of a store was asked for from somewhere else.
  static func outside(_ folder: BytePath, store: BytePath, at place: BytePath) -> RepositoryError {
    RepositoryError(
      "the store \(store) belongs to the folder \(folder), and this is \(place)", reason: .otherFolder, folder, store)
  }

  /// The store says of itself that it belongs to another folder than the one that leads to it.
  static func disagreement(_ folder: BytePath, store: BytePath, at place: BytePath) -> RepositoryError {
    RepositoryError(
      "the store \(store) belongs to the folder \(folder), and not to \(place)", reason: .disagreeingFolder, folder,
      store)
  }

  static func withoutFolder(store: BytePath) -> RepositoryError {
    var error = RepositoryError(
      .outsideFolder, "the store \(store) does not say which folder it belongs to", reason: .unnamedFolder, path: store)
    error.store = store
    return error
  }

  static func missing(_ folder: BytePath, store: BytePath, _ errno: Errno) -> RepositoryError {
    var error = RepositoryError(
      "cannot open the folder \(folder) of the store \(store): \(errno)", reason: .absentFolder, folder, store)
    error.systemError = errno.code
    return error
  }

  private init(_ message: String, reason: Reason, _ folder: BytePath, _ store: BytePath) {
    self.init(.outsideFolder, message, reason: reason, path: folder)
    self.folder = folder
    self.store = store
  }
}
