// What contents and trees add up to, so that what a store declares is known before anything is made of it. Each tree and each
// list of lists is read once, however often it is named.

/// What is below a chunk list, or several.
package struct ContentTotal {
  /// Bytes of the file.
  package var length: UInt64 = 0
  /// Those of them that are no hole.
  package var data: UInt64 = 0
  /// Chunks and holes.
  package var pieces: UInt64 = 0

  package init(length: UInt64 = 0, data: UInt64 = 0, pieces: UInt64 = 0) {
    self.length = length
    self.data = data
    self.pieces = pieces
  }
}

package struct ChunkListTotals {
  /// Lists of chunks that are kept. There is one for each file of more than a few chunks, so not all are: one that is named
  /// again later is read again, as it is when the file is written.
  @inlinable package static var lowest: Int { 1 << 14 }
  package var known: [ObjectID: (level: UInt8, total: ContentTotal)] = [:]
  /// The same for lists of chunks.
  package var knownLowest: [ObjectID: ContentTotal] = [:]

  package init() {}

  /// Throws when a list is damaged.
  @inlinable package mutating func total<Failure: BlobFailure>(
    of content: FileContent, size: UInt64, in source: any BlobSource<Failure>
  ) throws(Failure) -> ContentTotal {
    switch content.level {
    case 0: return ContentTotal()
    case 1: return ContentTotal(length: size, data: size, pieces: 1)
    default: return try total(of: content.id, level: content.level, source)
    }
  }

  /// The lists in a list are lower by one, so this calls itself eleven times at most. No sum overflows: each piece has a
  /// byte, and a list less than 2^63.
  @inlinable package mutating func total<Failure: BlobFailure>(
    of id: ObjectID, level: UInt8, _ source: any BlobSource<Failure>
  ) throws(Failure) -> ContentTotal {
    if level == 2, let total = knownLowest[id] { return total }
    if let (found, total) = known[id], found == level { return total }
    var list = try ChunkListBlob(id, in: source)
    try list.expect(level: level)
    var total = ContentTotal()
    while let piece = try list.next() {
      total.length = list.total
      if let below = piece.id, level > 2 {
        let inner = try self.total(of: below, level: level - 1, source)
        guard inner.length == piece.length else { throw .damagedList(below, ChunkListFormat.wrongTotal) }
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
package struct TreeTotals<Failure: BlobFailure> {
  package struct Total {
    /// What is no folder.
    package var files: UInt64 = 0
    package var folders: UInt64 = 0

    @inlinable package init() {}

    package var entries: UInt64 { files.addingWithLimit(folders) }

    package mutating func add(_ other: Total) {
      files = files.addingWithLimit(other.files)
      folders = folders.addingWithLimit(other.folders)
    }
  }

  package struct Frame {
    package let tree: ObjectID
    package var total = Total()
    package var below: [ObjectID] = []

    @inlinable package init(_ tree: ObjectID) {
      self.tree = tree
    }
  }

  package let source: any BlobSource<Failure>
  package var known: [ObjectID: Total] = [:]

  @inlinable package init(_ source: any BlobSource<Failure>) {
    self.source = source
  }

  /// All that is below a tree; stops at the largest number.
  @inlinable package mutating func total(of root: ObjectID) throws(Failure) -> Total {
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

  @inlinable package func enter(_ tree: ObjectID) throws(Failure) -> Frame {
    var frame = Frame(tree)
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
  package func addingWithLimit(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
