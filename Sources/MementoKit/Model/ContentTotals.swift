// What contents and trees add up to, so that what a store declares is known before anything is made of it. Each tree and each
// list of lists is read once, however often it is named.

internal import MementoStore

/// What is below a chunk list, or several.
struct ContentTotal {
  /// Bytes of the file.
  var length: UInt64 = 0
  /// Those of them that are no hole.
  var data: UInt64 = 0
  /// Chunks and holes.
  var pieces: UInt64 = 0
}

struct ChunkListTotals {
  /// Lists of chunks that are kept. There is one for each file of more than a few chunks, so not all are: one that is named
  /// again later is read again, as it is when the file is written.
  private static let lowest = 1 << 14
  private var known: [ObjectID: (level: UInt8, total: ContentTotal)] = [:]
  /// The same for lists of chunks.
  private var knownLowest: [ObjectID: ContentTotal] = [:]

  /// Throws when a list is damaged.
  mutating func total(
    of content: FileContent, size: UInt64, in source: any MetaSource
  ) throws(StoreError) -> ContentTotal {
    switch content.level {
    case 0: return ContentTotal()
    case 1: return ContentTotal(length: size, data: size, pieces: 1)
    default: return try total(of: content.id, level: content.level, source)
    }
  }

  /// The lists in a list are lower by one, so this calls itself eleven times at most. No sum overflows: each piece has a
  /// byte, and a list less than 2^63.
  private mutating func total(
    of id: ObjectID, level: UInt8, _ source: any MetaSource
  ) throws(StoreError) -> ContentTotal {
    if level == 2, let total = knownLowest[id] { return total }
    if let (found, total) = known[id], found == level { return total }
    var list = try ChunkListBlob(id, in: source)
    try list.expect(level: level)
    var total = ContentTotal()
    while let piece = try list.next() {
      total.length = list.total
      if let below = piece.id, level > 2 {
        let inner = try self.total(of: below, level: level - 1, source)
        guard inner.length == piece.length else { throw ChunkListBlob.damaged(below, ChunkListBlob.wrongTotal) }
        total.data += inner.data
        total.pieces += inner.pieces
      } else {
        if piece.id != nil { total.data += piece.length }
        total.pieces += 1
      }
    }
    if level > 2 {
      known[id] = (level, total)
    } else {
      if knownLowest.count == ChunkListTotals.lowest { knownLowest.removeAll(keepingCapacity: true) }
      knownLowest[id] = total
    }
    return total
  }
}

/// How many files and folders trees stand for.
struct TreeTotals {
  struct Total {
    /// What is no folder.
    var files: UInt64 = 0
    var folders: UInt64 = 0

    var entries: UInt64 { files.addingWithLimit(folders) }

    mutating func add(_ other: Total) {
      files = files.addingWithLimit(other.files)
      folders = folders.addingWithLimit(other.folders)
    }
  }

  private struct Frame {
    let tree: ObjectID
    var total = Total()
    var below: [ObjectID]
  }

  private let source: any MetaSource
  private var known: [ObjectID: Total] = [:]

  init(_ source: any MetaSource) {
    self.source = source
  }

  /// All that is below a tree; stops at the largest number.
  mutating func total(of root: ObjectID) throws(StoreError) -> Total {
    if let total = known[root] { return total }
    var frames = [try enter(root)]
    while let top = frames.indices.last {
      guard let tree = frames[top].below.last else {
        let done = frames.removeLast()
        known[done.tree] = done.total
        continue
      }
      if let total = known[tree] {
        frames[top].total.add(total)
        frames[top].below.removeLast()
      } else {
        frames.append(try enter(tree))
      }
    }
    return known[root] ?? Total()
  }

  private func enter(_ tree: ObjectID) throws(StoreError) -> Frame {
    var frame = Frame(tree: tree, below: [])
    var reader = TreeReader(blob: tree, in: source)
    while let entry = try reader.next() {
      if let below = entry.tree {
        frame.below.append(below)
        frame.total.folders = frame.total.folders.addingWithLimit(1)
      } else {
        frame.total.files += 1
      }
    }
    frame.below += reader.inner
    return frame
  }
}

extension UInt64 {
  fileprivate func addingWithLimit(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
