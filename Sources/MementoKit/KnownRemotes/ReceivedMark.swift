// Remembers that a store has content of others: what came from a remote or from an archive. Root then restores no owners and
// privileges without being asked.

internal import MementoStore
internal import MementoSystem

/// The folder `received` of a store. Its being there is the mark.
struct ReceivedMark {
  private static let name = Array("received".utf8)
  private let repository: Repository

  init(_ repository: Repository) {
    self.repository = repository
  }

  /// Sets the mark, durably.
  func set() throws(RepositoryError) {
    do throws(Errno) {
      _ = try repository.store.folder.openOrMake(ReceivedMark.name)
    } catch {
      throw RepositoryError(.system, "cannot make .memento/received: \(error)", systemError: error.code)
    }
  }

  /// Whether an archive was imported.
  func isSet() throws(RepositoryError) -> Bool {
    do throws(Errno) {
      _ = try repository.store.folder.open(ReceivedMark.name)
      return true
    } catch {
      // Something else of this name was not made by this program; it counts as the mark.
      if error == .notDirectory || error == .loop { return true }
      if error == .notFound { return false }
      throw RepositoryError(.system, "cannot open .memento/received: \(error)", systemError: error.code)
    }
  }
}
