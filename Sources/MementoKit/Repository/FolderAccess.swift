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

extension Repository {
  /// The folder, opened, for all that reads or writes it. Throws where the folder is out of bounds.
  var root: SharedDescriptor {
    get throws(RepositoryError) {
      switch access {
      case .attached(let folder, _): return folder.shared
      case .detached(let error): throw error
      }
    }
  }

  /// Whether the folder may be read and written. Otherwise only what concerns the store alone can be done: the program was
  /// started outside of the folder, the folder is gone, or it does not say that it belongs to the store.
  public var isAttached: Bool {
    if case .attached = access { return true }
    return false
  }

  /// Before the folder is read or written by what changes something. Throws where the folder is out of bounds. Where nothing
  /// leads from the folder to the store yet, something does from now on. Whoever got here has named both and can go on
  /// doing so: a folder that cannot be written is no reason to fail.
  func prepareFolder(isDryRun: Bool) throws(RepositoryError) {
    _ = try root
    leavePointer(isDryRun: isDryRun)
  }

  /// The same before what changes the store alone.
  func leavePointer(isDryRun: Bool = false) {
    guard !isDryRun, case .attached(let folder, needsPointer: true) = access else { return }
    // Where this fails the store must be named each time, and this is tried again.
    try? StorePointer.leave(in: folder.shared.descriptor, to: storePath, isDurable: store.folder.isDurable)
  }
}
