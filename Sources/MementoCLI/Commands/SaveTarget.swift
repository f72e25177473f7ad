// The store that a save goes to. The first save in a folder makes it, but not in places where that is likely a mistake:
// a store of `/` or of the home folder would record everything there is.

import MementoKit

struct SaveTarget {
  let repository: Repository
  /// Whether it was made just now.
  let isNew: Bool

  init(_ session: Session, isDurable: Bool, mayCreate: Bool, toChange: Session.Change = .folder) throws {
    do {
      repository = try session.openRepository(isDurable: isDurable, toChange: toChange)
      isNew = false
    } catch let error as RepositoryError where error.code == .noStore && mayCreate {
      session.tell(error.problems)
      try SaveTarget.checkPlace(session)
      let options = session.openOptions(isDurable: isDurable)
      do throws(RepositoryError) {
        repository = try Repository.create(folder: session.directory, options: options)
        isNew = true
        session.tell(repository.notes)
        session.note("made the store \(TerminalText.escaped(repository.storePath))")
      } catch {
        // Another process may have been quicker.
        guard error.code == .storeExists else { throw error }
        repository = try session.openRepository(isDurable: isDurable)
        isNew = false
      }
    }
  }

  /// What a save would do that makes the store, too. `work` gets a repository that keeps nothing.
  static func plan<Result>(_ session: Session, _ work: (Repository) throws -> Result) throws -> Result {
    try checkPlace(session)
    let scratch = session.context.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : BytePath($0) } ?? BytePath("/tmp")
    let options = session.openOptions()
    let store = options.store ?? session.directory.appending(".memento".utf8)
    session.note("would make the store \(TerminalText.escaped(store))")
    return try Repository.withScratchStore(
      for: session.directory, in: session.directory.resolving(scratch), options: options, work)
  }

  private static func checkPlace(_ session: Session) throws {
    // One that cannot be followed counts as it is spelled: this only keeps users from a mistake.
    let home = session.context.environment["HOME"].map { (try? Paths.canonical(BytePath($0))) ?? BytePath($0) }
    let place: String
    switch session.directory {
    case BytePath("/"): place = "/"
    case home: place = "the home folder"
    default: return
    }
    throw ErrorReport(
      .notInitialized, "there is no store here, and save does not make one in \(place)", advice: Advice.initialize)
  }
}
