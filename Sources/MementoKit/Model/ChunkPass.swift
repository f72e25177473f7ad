// Reads many chunks, each once, in the order in which they lie in the store, and on all cores. In the order of the files that
// have them, chunks that were saved at different times would have the same blocks unpacked again and again.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// The readers of all cores, for one pass after the other.
final class ChunkPass: Sendable {
  private struct Placed: Sendable {
    /// The place among the ids.
    let number: Int
    let id: ObjectID
    let location: Location
  }

  private let store: Store
  private let readers: [WorkerReader]
  private let isCancelled: @Sendable () -> Bool

  /// When `isCancelled` returns true, a pass ends early.
  init(_ store: Store, isCancelled: @escaping @Sendable () -> Bool) {
    self.store = store
    self.isCancelled = isCancelled
    readers = (0..<max(1, Host.processorCount())).map { _ in WorkerReader(store.blobReader()) }
  }

  /// Calls `body` with the number of each of `ids` and its bytes, on several threads at the same time. It is not called for
  /// what cannot be read: whoever needs that reads it again, and says what is wrong.
  func run(_ ids: [ObjectID], _ body: @escaping @Sendable (_ number: Int, _ bytes: UnsafeRawBufferPointer) -> Void) {
    var placed: [Placed] = []
    placed.reserveCapacity(ids.count)
    for (number, id) in ids.enumerated() {
      guard let location = try? store.index.place(of: id) else { continue }  // as above
      placed.append(Placed(number: number, id: id, location: location))
    }
    placed.sort { $0.location.sortKey < $1.location.sortKey }
    let all = placed
    let stack = WorkStack<Range<Int>>()
    stack.push(ChunkPass.blocks(all).reversed())
    stack.run(workers: readers.count) { [readers, isCancelled] worker, range in
      if isCancelled() { return }
      let needed = all[range].reduce(0) { max($0, Int($1.location.offset) + Int($1.location.length)) }
      readers[worker].blobs.withLock { reader in
        for chunk in all[range] {
          do throws(StoreError) {
            try reader.withBlob(chunk.id, at: chunk.location, end: needed) { body(chunk.number, $0) }.get()
          } catch {
            continue  // as above
          }
        }
      }
    }
  }

  /// The ranges of those that lie in one block.
  private static func blocks(_ placed: [Placed]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    for index in placed.indices {
      let next = index + 1
      if next < placed.count, placed[next].location.pack == placed[start].location.pack,
        placed[next].location.block.offset == placed[start].location.block.offset
      {
        continue
      }
      ranges.append(start..<next)
      start = next
    }
    return ranges
  }
}

/// The chunks of some contents, each once.
struct ChunkSet {
  private(set) var ids: [ObjectID] = []
  private var numbers: [ObjectID: Int] = [:]
  private var pieces: [FileContent: [ContentPiece]] = [:]

  /// Adds the chunks of a content. Throws when one of its lists cannot be read, and adds nothing then.
  mutating func add(_ content: SizedContent, in store: Store) throws(StoreError) {
    if pieces[content.content] != nil { return }
    var reader = ChunkListReader(content.content, size: content.size, in: store)
    var found: [ContentPiece] = []
    while let piece = try reader.next() { found.append(piece) }
    for case let id? in found.map(\.id) where numbers[id] == nil {
      numbers[id] = ids.count
      ids.append(id)
    }
    pieces[content.content] = found
  }

  /// The chunks and holes of a content, each chunk with its number among `ids`. Nil when the content was not added.
  func pieces(of content: FileContent) -> [(piece: ContentPiece, number: Int?)]? {
    pieces[content]?.map { ($0, $0.id.flatMap { numbers[$0] }) }
  }
}
