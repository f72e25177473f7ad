// The store that a save writes to. The first save in a folder makes the store, except in `/` and in the home folder.
// There it is probably a mistake, because the save would record everything.

import MementoKit

struct SaveTarget {
  let repository: Repository
  /// Whether this process has just made the store.
  let isNew: Bool

  init(_ session: Session, isDurable: Bool, mayCreate: Bool, toChange: Session.Change = .folder) throws {
    do {
      repository = try session.openRepository(isDurable: isDurable, toChange: toChange)
      isNew = false
    } catch let error as RepositoryError where error.code == .noStore && mayCreate {
      session.tell(error.problems)
      try SaveTarget.checkPlace(session)
      let options = try session.openOptions(isDurable: isDurable)
      do throws(RepositoryError) {
        repository = try Repository.create(folder: session.directory, options: options)
        isNew = true
        session.tell(repository.notes)
        session.note("made the store \(TerminalText.escaped(repository.storePath))")
      } catch {
        // Another process may have made the store meanwhile.
        guard error.code == .storeExists else { throw error }
        repository = try session.openRepository(isDurable: isDurable)
        isNew = false
      }
    }
  }

  /// Calls `work` with a repository whose temporary store is removed afterwards. For a dry run of a save that would
  /// also make the store.
  static func plan<Result>(_ session: Session, _ work: (Repository) throws -> Result) throws -> Result {
    try checkPlace(session)
    let options = try session.openOptions()
    let store = options.store ?? session.directory.appending(".memento".utf8)
    session.note("would make the store \(TerminalText.escaped(store))")
    return try Repository.withScratchStore(
      for: session.directory, in: session.temporaryFolder, options: options, work)
  }

  private static func checkPlace(_ session: Session) throws {
    guard let place = guardedPlace(session) else { return }
    throw ErrorReport(
      .notInitialized, "there is no store here, and save does not make one in \(place)", advice: Advice.initialize)
  }

  /// What the current folder is called if only `init` makes a store in it; nil for any other folder.
  static func guardedPlace(_ session: Session) -> String? {
    // A home folder that cannot be resolved is compared as it is written. The check only prevents a mistake of the
    // user.
    let home = session.context.environment["HOME"].map { (try? Paths.canonical(BytePath($0))) ?? BytePath($0) }
    return switch session.directory {
    case BytePath("/"): "/"
    case home: "the home folder"
    default: nil
    }
  }
}
