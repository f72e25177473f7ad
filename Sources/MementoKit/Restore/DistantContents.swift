// Contents of files that are not in the store, but in that of a remote.

internal import MementoStore
internal import Synchronization

/// Where a restore reads what is not here. Nothing that it reads is kept.
final class DistantContents: Sendable {
  /// So many threads ask at once, each for a run of blocks, which it has in memory twice.
  static let mostReaders = 4

  let store: Store
  private let first = Mutex<StoreError?>(nil)

  init(_ store: Store) {
    self.store = store
  }

  /// The first error. What it means is for whoever knows the remote to say.
  var failure: StoreError? { first.withLock { $0 } }

  /// Keeps an error of what is there, which somebody else throws.
  func noting(_ error: StoreError) -> StoreError {
    first.withLock { $0 = $0 ?? error }
    return error
  }

  /// Runs `body`, which reads, and keeps its error.
  func reading<Result>(_ body: () throws(StoreError) -> Result) throws(RepositoryError) -> Result {
    do throws(StoreError) {
      return try body()
    } catch {
      throw RepositoryError(noting(error))
    }
  }
}
