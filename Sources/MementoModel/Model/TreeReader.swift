// Tree blobs to entries, in order, checked: what is not sorted, not whole or not a tree is refused.

/// Walks the entries of one directory's tree.
package struct TreeReader<Failure: BlobFailure> {
  package let source: any BlobSource<Failure>
  package var cursor: TreeCursor

  @inlinable package init(_ id: ObjectID, in source: any BlobSource<Failure>) {
    self.source = source
    cursor = TreeCursor(id, isAlone: false)
  }

  /// Reads one blob of a tree and none of those that it names: for whoever reads each once, however many trees share it.
  @inlinable package init(blob id: ObjectID, in source: any BlobSource<Failure>) {
    self.source = source
    cursor = TreeCursor(id, isAlone: true)
  }

  /// The blobs of this directory that were read so far.
  @inlinable package var visited: [ObjectID] { cursor.visited }
  /// The height of the blob that was read last.
  @inlinable package var level: UInt8 { cursor.level }
  /// The pieces of an inner node that was read alone.
  @inlinable package var inner: [ObjectID] { cursor.inner }

  /// The next entry; nil after the last.
  @inlinable package mutating func next() throws(Failure) -> TreeEntry? {
    while cursor.remaining == 0 {
      guard let piece = cursor.takePiece() else { return nil }
      let bytes = try source.readMeta(piece)
      do throws(FormatError) {
        try cursor.open(bytes)
      } catch {
        throw damaged(error)
      }
    }
    do throws(FormatError) {
      return try cursor.next()
    } catch {
      throw damaged(error)
    }
  }

  /// Passes over the entries that are the same bytes in two readers, without making anything of them: most of a folder in
  /// which a file has changed. The last entry of a piece is left for `next`, which checks what follows it.
  @inlinable package static func passEqual(_ left: inout TreeReader, _ right: inout TreeReader) {
    TreeCursor.passEqual(&left.cursor, &right.cursor)
  }

  package func damaged(_ error: FormatError) -> Failure {
    .damaged(file: "tree \(cursor.piece.short)", reason: error.reason)
  }

  /// All entries of a directory.
  @inlinable package static func entries(
    of id: ObjectID, in source: any BlobSource<Failure>
  ) throws(Failure) -> [TreeEntry] {
    var reader = TreeReader(id, in: source)
    var result: [TreeEntry] = []
    while let entry = try reader.next() { result.append(entry) }
    return result
  }

  /// The entry of one name in a directory.
  @inlinable package static func entry(
    named name: [UInt8], of id: ObjectID, in source: any BlobSource<Failure>
  ) throws(Failure) -> TreeEntry? {
    var reader = TreeReader(id, in: source)
    while let entry = try reader.next() {
      if entry.name == name { return entry }
    }
    return nil
  }
}

/// The same for blobs that were read: which one is next, and the entries of this one.
package struct TreeCursor {
  private var pieces: [(id: ObjectID, level: UInt8?)]
  private var reader: ByteReader
  package private(set) var remaining = 0
  private var last: [UInt8]?
  /// The blob that was taken last, and the height that it must have.
  package private(set) var piece = ObjectID.zero
  private var expected: UInt8?
  package private(set) var visited: [ObjectID] = []
  /// What an inner node names is not entered, but left in `inner`.
  private let isAlone: Bool
  package private(set) var level: UInt8 = 0
  package private(set) var inner: [ObjectID] = []

  package init(_ id: ObjectID, isAlone: Bool) {
    self.isAlone = isAlone
    pieces = [(id, nil)]
    reader = ByteReader([])
  }

  /// The next blob to read; nil after the last.
  package mutating func takePiece() -> ObjectID? {
    guard let (id, expected) = pieces.popLast() else { return nil }
    piece = id
    self.expected = expected
    return id
  }

  /// Goes to the entries of the blob that was taken. An inner node has none: its pieces are taken next.
  package mutating func open(_ bytes: [UInt8]) throws(FormatError) {
    reader = ByteReader(bytes)
    visited.append(piece)
    guard try reader.u8() == TreeFormat.tag else { throw FormatError("it is not a tree") }
    level = try reader.u8()
    guard level <= TreeFormat.highestLevel, expected == nil || expected == level else {
      throw FormatError("its height is not what it should be")
    }
    let count = try reader.count(atMost: reader.remaining)
    if level == 0 {
      remaining = count
      if count == 0, !reader.isAtEnd { throw FormatError("bytes follow the last entry") }
      // Nothing stops a forged node from naming an empty piece again and again.
      if count == 0, expected != nil { throw FormatError("one of its pieces is empty") }
      return
    }
    var children: [(id: ObjectID, level: UInt8?)] = []
    for _ in 0..<count {
      let length = try reader.count(atMost: EntryName.longest)
      try reader.skip(length)
      children.append((try reader.id(), level - 1))
    }
    guard reader.isAtEnd, count > 0 else { throw FormatError("its list of pieces is not whole") }
    if isAlone {
      inner = children.map(\.id)
    } else {
      pieces.append(contentsOf: children.reversed())
    }
  }

  /// The next entry of the blob, of which some remain.
  package mutating func next() throws(FormatError) -> TreeEntry {
    let entry = try TreeEntryCodec.decode(&reader)
    if let last, !last.lexicographicallyPrecedes(entry.name) {
      throw FormatError("its entries are not sorted")
    }
    remaining -= 1
    if remaining == 0, !reader.isAtEnd { throw FormatError("bytes follow the last entry") }
    last = entry.name
    return entry
  }

  package static func passEqual(_ left: inout TreeCursor, _ right: inout TreeCursor) {
    var rest = left.reader.sharedLength(with: right.reader)
    var scan = left.reader
    var name: Range<Int>?
    while left.remaining > 1, right.remaining > 1 {
      let start = scan.position
      // What is damaged is left for `next`, which says so.
      guard let found = try? TreeEntryCodec.outline(&scan), scan.position - start <= rest,
        (try? right.reader.skip(scan.position - start)) != nil
      else { break }
      rest -= scan.position - start
      left.reader = scan
      left.remaining -= 1
      right.remaining -= 1
      name = found.name
    }
    guard let name else { return }
    left.last = Array(left.reader.bytes[name])
    right.last = left.last
  }
}
