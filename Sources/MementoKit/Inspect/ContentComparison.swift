// The contents of many changed files, compared on all cores, a batch at a time.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

extension Comparison {
  /// So many files are compared before the first is handed on, and as many as `largestBatch` each time after that.
  private static let firstBatch = 16
  private static let largestBatch = 4096
  /// The bytes of both sides of a batch. One file alone may have more.
  private static let batchBytes: UInt64 = 64 << 20

  /// Compares the contents of changes as `content(of:)` does, several at the same time. Calls `body` with each change and
  /// how its content differs, in the order of `changes`. `isCancelled`: asked between files; true ends it with
  /// `RepositoryError.Code.cancelled`. Throws what `content(of:)` throws when it is the turn of that change, and what `body`
  /// throws.
  public func forEachContent(
    of changes: [FileChange], isCancelled: @escaping @Sendable () -> Bool = { false },
    _ body: (FileChange, ContentDiff) throws -> Void
  ) throws {
    let workers = (0..<max(1, Host.processorCount())).map { _ in PairReader(repository.store) }
    let pass = ChunkPass(repository.store, isCancelled: isCancelled)
    var count = Comparison.firstBatch
    var rest = changes[...]
    while !rest.isEmpty {
      let batch = batch(from: rest, atMost: count)
      // The blocks that a batch needs may all be needed by the next one, too. So there are few batches.
      count = Comparison.largestBatch
      for (change, content) in zip(batch, compare(Array(batch), workers, pass, isCancelled)) {
        if isCancelled() { throw RepositoryError.cancelled }
        try body(change, try content.get())
      }
      rest = rest[batch.endIndex...]
    }
  }

  private func batch(from rest: ArraySlice<FileChange>, atMost count: Int) -> ArraySlice<FileChange> {
    var bytes: UInt64 = 0
    var end = rest.startIndex
    while end < rest.endIndex, end - rest.startIndex < count {
      let size = [rest[end].old, rest[end].new].reduce(0) { $0 + min($1?.size ?? 0, Comparison.largestText) }
      if end > rest.startIndex, bytes + size > Comparison.batchBytes { break }
      bytes += size
      end += 1
    }
    return rest[..<end]
  }

  /// Reads what the batch needs, and then compares it.
  private func compare(
    _ batch: [FileChange], _ workers: [PairReader], _ pass: ChunkPass, _ isCancelled: @escaping @Sendable () -> Bool
  ) -> [Result<ContentDiff, RepositoryError>] {
    let results = Mutex([Result<ContentDiff, RepositoryError>](repeating: .failure(.cancelled), count: batch.count))
    let needed = batch.filter { !Comparison.isSame($0.old, $0.new) && !Comparison.isTooLarge($0) }
    let entries = needed.compactMap(\.old) + (to == nil ? [] : needed.compactMap(\.new))
    let contents = StoredContents(entries, in: repository.store, pass)
    let stack = WorkStack<Range<Int>>()
    let size = max(1, min(64, (batch.count + workers.count - 1) / workers.count))
    stack.push(stride(from: 0, to: batch.count, by: size).reversed().map { $0..<min($0 + size, batch.count) })
    stack.run(workers: min(workers.count, batch.count)) { worker, places in
      for place in places {
        if isCancelled() { return }
        let result = workers[worker].content(of: batch[place], in: self, contents)
        results.withLock { $0[place] = result }
      }
    }
    return results.withLock { $0 }
  }
}

/// What one worker reads the two sides of a file with: each side lies in a part of the store of its own.
final class PairReader: Sendable {
  private struct Readers: ~Copyable, Sendable {
    var old: BlobReader
    var new: BlobReader
  }

  private let readers: Mutex<Readers>

  init(_ store: Store) {
    readers = Mutex(Readers(old: store.blobReader(), new: store.blobReader()))
  }

  /// `contents`: what was read before.
  func content(
    of change: FileChange, in comparison: Comparison, _ contents: StoredContents = StoredContents()
  ) -> Result<ContentDiff, RepositoryError> {
    readers.withLock { readers in
      do throws(RepositoryError) {
        return .success(try comparison.content(of: change, contents, old: &readers.old, new: &readers.new))
      } catch {
        return .failure(error)
      }
    }
  }
}
