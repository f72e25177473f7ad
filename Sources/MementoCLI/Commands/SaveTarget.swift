// The store that a save goes to. The first save in a folder makes it, but not in places where that is likely a mistake:
// a store of `/` or of the home folder would record everything there is.

import MementoKit

struct SaveTarget {
  let repository: Repository
  /// Whether it was made just now.
  let isNew: Bool

  init(_ session: Session, isDurable: Bool, mayCreate: Bool) throws {
    do {
      repository = try session.openRepository(isDurable: isDurable)
      isNew = false
    } catch let error as RepositoryError where error.code == .noStore && mayCreate {
      try SaveTarget.checkPlace(session)
      do throws(RepositoryError) {
        repository = try Repository.create(
          folder: session.directory, options: session.openOptions(isDurable: isDurable))
        isNew = true
        session.note("made the store \(TerminalText.escaped(repository.storePath))")
      } catch {
        // Another process may have been quicker.
        guard error.code == .storeExists else { throw error }
        repository = try session.openRepository(isDurable: isDurable)
        isNew = false
      }
    }
  }

  private static func checkPlace(_ session: Session) throws {
    let home = session.context.environment["HOME"].flatMap { try? Paths.canonical(BytePath($0)) }
    let place: String
    switch session.directory {
    case BytePath("/"): place = "/"
    case home: place = "the home folder"
    default: return
    }
    throw RepositoryError(
      .notInitialized, "no store here, and a save makes none in \(place)",
      advice: "run `memento init` if you want to save all of it")
  }
}
