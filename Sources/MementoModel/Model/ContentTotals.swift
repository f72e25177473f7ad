// Computes the totals of contents and trees, so that what a store declares is known before anything is restored. Each
// list and each tree is read once, however often it is referenced.

/// The totals of one or more chunk lists.
package struct ContentTotal {
  /// Bytes of the file.
  package var length: UInt64 = 0
  /// Bytes of the file that are not in holes.
  package var data: UInt64 = 0
  /// How many chunks and holes there are.
  package var pieces: UInt64 = 0

  package init(length: UInt64 = 0, data: UInt64 = 0, pieces: UInt64 = 0) {
    self.length = length
    self.data = data
    self.pieces = pieces
  }
}

/// Computes the totals of contents, and remembers those of each list.
package struct ChunkListTotals {
  /// Lists of chunks that are kept. There is one for each file of more than a few chunks, so not all are: one that is named
  /// again later is read again, as it is when the file is written.
  @inlinable package static var lowest: Int { 1 << 14 }
  package var known: [ObjectID: (level: UInt8, total: ContentTotal)] = [:]
  /// The same for lists of chunks.
  package var knownLowest: [ObjectID: ContentTotal] = [:]

  package init() {}

  /// The totals of a content. `size`: the size of the file in bytes. Throws when a list is damaged or cannot be read.
  @inlinable package mutating func total<Failure: BlobFailure>(
    of content: FileContent, size: UInt64, in source: any BlobSource<Failure>
  ) throws(Failure) -> ContentTotal {
    switch content.level {
    case 0: return ContentTotal()
    case 1: return ContentTotal(length: size, data: size, pieces: 1)
    default: return try total(of: content.id, level: content.level, source)
    }
  }

  /// The height of lists decreases by one with each call, so calls nest at most eleven deep. No sum overflows: a list
  /// is shorter than 2^63 bytes, and each piece has at least one byte.
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

/// Counts the files and folders in trees, and remembers the totals of each tree.
package struct TreeTotals<Failure: BlobFailure> {
  package struct Total {
    /// Entries that are not folders.
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

  /// The totals of everything below a tree. A count that would overflow stays at the largest number. Throws when a tree
  /// is damaged or cannot be read.
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
  /// The sum, or the largest number if it overflows.
  package func addingWithLimit(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
