// Searches many contents on all cores, each once, however many files of however many snapshots have it. Contents are read
// in the order of the packs: one block often holds many versions of a file, and is unpacked once for all of them.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

final class ContentSearch {
  /// A content of more bytes is searched alone, and its lines are passed on as they are found.
  static let large: UInt64 = 16 << 20
  /// So many bytes of lines are kept for the case that a content comes again.
  private static let kept = 64 << 20

  private let store: Store
  private let workers: [Worker]
  /// Set when chunks are counted, and not contents.
  private let counter: OccurrenceCount?
  private let pass: ChunkPass
  private let isCancelled: @Sendable () -> Bool
  private var known: [FileContent: ScanResult] = [:]
  private var keptBytes = 0
  /// How many contents were searched.
  private(set) var searched = 0

  /// One thread's. `@unchecked Sendable`: only the thread of this number uses it.
  private final class Worker: @unchecked Sendable {
    let scan: ContentScan

    init(_ scan: ContentScan) {
      self.scan = scan
    }
  }

  init(_ store: Store, _ pattern: SearchPattern, _ aim: ScanAim, isCancelled: @escaping @Sendable () -> Bool) {
    self.store = store
    self.isCancelled = isCancelled
    counter = aim == .occurrences ? OccurrenceCount(pattern.bytes) : nil
    pass = ChunkPass(store, isCancelled: isCancelled)
    workers = (0..<Host.processorCount()).map { _ in
      Worker(ContentScan(store, pattern, aim, isCancelled: isCancelled))
    }
  }

  /// Searches these contents, and returns what each of them has. Throws when the search was cancelled.
  func run(_ contents: [SizedContent]) throws(StoreError) -> [FileContent: ScanResult] {
    var results: [FileContent: ScanResult] = [:]
    var waiting: [SizedContent] = []
    for content in contents where content.content.level > 0 && results[content.content] == nil {
      results[content.content] = known[content.content] ?? ScanResult()
      if known[content.content] == nil { waiting.append(content) }
    }
    searched += waiting.count
    waiting = count(waiting, &results)
    let found = Mutex<[(content: FileContent, result: ScanResult)]>([])
    let stack = WorkStack<[SizedContent]>()
    stack.push(try groups(of: waiting).reversed())
    stack.run(workers: min(workers.count, waiting.count)) { [workers, isCancelled] worker, group in
      for content in group {
        if isCancelled() { return }
        let result = workers[worker].scan.run(content)
        found.withLock { $0.append((content.content, result)) }
      }
    }
    if isCancelled() { throw .cancelled }
    for (content, result) in found.withLock({ $0 }) {
      results[content] = result
      let size = result.lines.reduce(0) { $0 + $1.bytes.count + 64 }
      if keptBytes + size > ContentSearch.kept { continue }
      keptBytes += size
      known[content] = result
    }
    return results
  }

  /// Counts in those contents where that can be done chunk by chunk. Returns the others, also what could not be read.
  private func count(_ contents: [SizedContent], _ results: inout [FileContent: ScanResult]) -> [SizedContent] {
    guard let counter else { return contents }
    var chunks = ChunkSet()
    for content in contents where content.size <= ContentSearch.large {
      do throws(StoreError) {
        try chunks.add(content, in: store)
      } catch {
        continue  // the scan says what is wrong with it
      }
    }
    let found = Mutex([ChunkOccurrences?](repeating: nil, count: chunks.ids.count))
    pass.run(chunks.ids) { number, bytes in
      let occurrences = counter.look(at: bytes)
      found.withLock { $0[number] = occurrences }
    }
    let counted = found.withLock { $0 }
    return contents.filter { content in
      guard let pieces = chunks.pieces(of: content.content) else { return true }
      var parts: [ChunkOccurrences] = []
      for (piece, number) in pieces {
        guard let part = number.map({ counted[$0] }) ?? counter.hole(piece.length), part.length == piece.length else {
          return true
        }
        parts.append(part)
      }
      let result = ScanResult(count: counter.total(of: parts))
      results[content.content] = result
      known[content.content] = result
      return false
    }
  }

  /// Searches one content on this thread, and passes its lines on as they are found.
  func run(_ content: SizedContent, found: (FoundLine) -> Bool) throws(StoreError) -> ScanResult {
    searched += 1
    let result = withoutActuallyEscaping(found) { workers[0].scan.run(content, found: $0) }
    if isCancelled() { throw .cancelled }
    return result
  }

  /// The contents that begin in the same block together, in the order of packs.
  private func groups(of contents: [SizedContent]) throws(StoreError) -> [[SizedContent]] {
    let placed = try contents.map { (content) throws(StoreError) in
      (content: content, place: try store.index.place(of: content.content.id))
    }
    let sorted = placed.sorted { left, right in
      guard let left = left.place, let right = right.place else { return left.place != nil && right.place == nil }
      return left.sortKey < right.sortKey
    }
    var groups: [[SizedContent]] = []
    var last: (pack: UInt32, offset: UInt64)?
    for (content, place) in sorted {
      let block = place.map { (pack: $0.pack, offset: $0.block.offset) }
      if let block, let last, block == last {
        groups[groups.count - 1].append(content)
      } else {
        groups.append([content])
      }
      last = block
    }
    return groups
  }
}
