// Decides whether a repository may use its folder. The store alone does not decide it, because its maker could name any
// folder. Either the `.memento` of the folder must lead to the store, or the user must name both.

internal import MementoStore
internal import MementoSystem

enum FolderAccess: Sendable {
  /// Store and folder agree. `needsPointer`: the folder has no `.memento`, so nothing leads from it to the store yet.
  case attached(OpenFolder, needsPointer: Bool)
  /// The folder may not be used, for this reason. Operations on the store alone still work.
  case detached(RepositoryError)
}

extension RepositoryError {
  /// The program works in `place`, which is not in the folder of the store.
  static func outside(_ folder: BytePath, store: BytePath, at place: BytePath) -> RepositoryError {
    RepositoryError(
      "the store \(store) belongs to the folder \(folder), and this is \(place)", reason: .otherFolder, folder, store)
  }

  /// The store says that it belongs to `folder`, but the folder `place` leads to it.
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

  static func unknownFork(_ fork: ForkID, at folder: BytePath) -> RepositoryError {
    var error = RepositoryError(
      .outsideFolder, "\(folder) is the fork \(fork), which its store does not know (any more)", reason: .unknownFork,
      path: folder)
    error.folder = folder
    return error
  }

  static func copiedFork(_ folder: BytePath, of fork: BytePath) -> RepositoryError {
    var error = RepositoryError(
      .outsideFolder, "\(folder) is a copy of the fork \(fork), which has the position", reason: .copiedFork, path: fork
    )
    error.folder = folder
    return error
  }

  private init(_ message: String, reason: Reason, _ folder: BytePath, _ store: BytePath) {
    self.init(.outsideFolder, message, reason: reason, path: folder)
    self.folder = folder
    self.store = store
  }
}
