// The stored contents of a batch of changed files, read in the order in which they lie in the store. In the order of their
// paths, files that were saved at different times would have the same blocks unpacked again and again.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// The contents of files of one chunk. Files of several chunks are read when it is their turn: their chunks lie together.
struct StoredContents: Sendable {
  private struct Wanted: Sendable {
    let id: ObjectID
    let place: Location
  }

  private var bytes: [ObjectID: [UInt8]] = [:]

  /// Nothing: each content is read when it is asked for.
  init() {}

  /// Reads with all workers. What cannot be read is left out: whoever asks for it reads it again, and says what is wrong.
  init(
    _ entries: some Sequence<FileEntry>, in store: Store, _ workers: [PairReader],
    _ isCancelled: @escaping @Sendable () -> Bool
  ) {
    var seen: Set<ObjectID> = []
    var wanted: [Wanted] = []
    for entry in entries {
      guard let content = entry.content, content.level == 1, seen.insert(content.id).inserted,
        let place = try? store.index.place(of: content.id)  // as above
      else { continue }
      wanted.append(Wanted(id: content.id, place: place))
    }
    wanted.sort { $0.place.sortKey < $1.place.sortKey }
    let all = wanted
    let read = Mutex([[UInt8]?](repeating: nil, count: all.count))
    let stack = WorkStack<Range<Int>>()
    stack.push(StoredContents.blocks(all).reversed())
    stack.run(workers: workers.count) { worker, range in
      if isCancelled() { return }
      let needed = all[range].reduce(0) { max($0, Int($1.place.offset) + Int($1.place.length)) }
      for index in range {
        let found = workers[worker].bytes(of: all[index].id, at: all[index].place, end: needed)
        read.withLock { $0[index] = found }
      }
    }
    read.withLock { read in
      for (wanted, found) in zip(all, read) { bytes[wanted.id] = found }
    }
  }

  /// The ranges of those that lie in one block.
  private static func blocks(_ wanted: [Wanted]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    for index in wanted.indices {
      let next = index + 1
      if next < wanted.count, wanted[next].place.pack == wanted[start].place.pack,
        wanted[next].place.block.offset == wanted[start].place.block.offset
      {
        continue
      }
      ranges.append(start..<next)
      start = next
    }
    return ranges
  }

  /// All bytes of a content; nil when it was not read.
  subscript(content: FileContent) -> [UInt8]? { bytes[content.id] }
}
