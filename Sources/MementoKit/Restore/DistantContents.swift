// Contents of files that are not in the store, but in that of a remote.

internal import MementoStore
internal import Synchronization

/// Where a restore reads what is not here. Nothing that it reads is kept.
final class DistantContents: Sendable {
  /// So many threads ask at once: each of them waits most of the time.
  static let mostReaders = 8
  /// So many stored bytes are asked for at once, unless a block is larger.
  private static let longestRun: UInt64 = 2 << 20
  /// So many bytes that nobody needs are read where they save a request.
  private static let widestGap: UInt64 = 64 << 10

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

  /// Whether a block is read in one go with the blocks before it, which begin with `first` and end at `end`. `end`: the offset
  /// in the pack.
  static func joins(_ place: Location, first: Location, end: UInt64) -> Bool {
    let start = place.block.offset
    return place.pack == first.pack && start >= end && start - end <= widestGap
      && start + UInt64(place.block.storedLength) - first.block.offset <= longestRun
  }
}
