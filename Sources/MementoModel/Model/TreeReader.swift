// Decodes tree blobs into entries, in order. It refuses blobs that are not sorted, not complete or not a tree.

/// Reads the entries of one directory, in the order of their names.
package struct TreeReader<Failure: BlobFailure> {
  package let source: any BlobSource<Failure>
  package var cursor: TreeCursor

  @inlinable package init(_ id: ObjectID, in source: any BlobSource<Failure>) {
    self.source = source
    cursor = TreeCursor(id, isAlone: false)
  }

  /// Reads one blob of a tree and not the blobs that it names. For callers that read each blob once, however many trees
  /// share it.
  @inlinable package init(blob id: ObjectID, in source: any BlobSource<Failure>) {
    self.source = source
    cursor = TreeCursor(id, isAlone: true)
  }

  /// The blobs of this directory that have been read so far.
  @inlinable package var visited: [ObjectID] { cursor.visited }
  /// The height of the last blob that was read.
  @inlinable package var level: UInt8 { cursor.level }
  /// The pieces that an inner node names, when it was read by `init(blob:in:)`.
  @inlinable package var inner: [ObjectID] { cursor.inner }

  /// The next entry. Nil after the last one. Throws when a blob is damaged or cannot be read.
  @inlinable package mutating func next() throws(Failure) -> TreeEntry? {
    guard let outline = try nextOutline() else { return nil }
    return entry(outline)
  }

  /// The same without a copy of its name, and as thoroughly checked.
  @inlinable package mutating func nextOutline() throws(Failure) -> EntryOutline? {
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
      return try cursor.nextOutline()
    } catch {
      throw damaged(error)
    }
  }

  /// The entry that was read last.
  @inlinable package func entry(_ outline: EntryOutline) -> TreeEntry {
    TreeEntry(name: cursor.name(of: outline), metadata: outline.metadata, content: outline.content)
  }

  /// Skips entries that have the same bytes in both readers, without decoding them fully. In a folder where one file
  /// has changed, these are most of the entries. The last entry of a piece is left to `next`, which checks what follows
  /// it.
  @inlinable package static func passEqual(_ left: inout TreeReader, _ right: inout TreeReader) {
    TreeCursor.passEqual(&left.cursor, &right.cursor)
  }

  /// The error of a damaged blob: the last one that was read.
  package func damaged(_ error: FormatError) -> Failure {
    .damaged(file: "tree \(cursor.piece.short)", reason: error.reason)
  }

  /// Reads all entries of a directory.
  @inlinable package static func entries(
    of id: ObjectID, in source: any BlobSource<Failure>
  ) throws(Failure) -> [TreeEntry] {
    var reader = TreeReader(id, in: source)
    var result: [TreeEntry] = []
    while let entry = try reader.next() { result.append(entry) }
    return result
  }

  /// The entry of one name in a directory. Nil when there is none.
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

/// Decodes the blobs of one directory: it says which blob to read next, and decodes the entries of that blob.
package struct TreeCursor {
  private var pieces: [(id: ObjectID, level: UInt8?)]
  private var reader: ByteReader
  package private(set) var remaining = 0
  /// The name before: in the blob that is being read, or else of an earlier one.
  private var lastRange: Range<Int>?
  private var last: [UInt8]?
  /// The last blob that was taken, and the height that it must have.
  package private(set) var piece = ObjectID.zero
  private var expected: UInt8?
  package private(set) var visited: [ObjectID] = []
  /// Whether the pieces of an inner node go to `inner` instead of being read.
  private let isAlone: Bool
  package private(set) var level: UInt8 = 0
  package private(set) var inner: [ObjectID] = []

  package init(_ id: ObjectID, isAlone: Bool) {
    self.isAlone = isAlone
    pieces = [(id, nil)]
    reader = ByteReader([])
  }

  /// The next blob to read. Nil after the last one.
  package mutating func takePiece() -> ObjectID? {
    guard let (id, expected) = pieces.popLast() else { return nil }
    piece = id
    self.expected = expected
    return id
  }

  /// Begins to decode the blob that was taken last. An inner node has no entries: `takePiece` returns its pieces next.
  /// Throws when the blob is not valid.
  package mutating func open(_ bytes: [UInt8]) throws(FormatError) {
    if let range = lastRange {
      last = Array(reader.bytes[range])
      lastRange = nil
    }
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
      // A forged node could otherwise name an empty piece very often.
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

  /// The next entry of the blob, with its attributes. To be called only while `remaining` is not 0. Throws when the entry
  /// is not valid.
  package mutating func nextOutline() throws(FormatError) -> EntryOutline {
    let outline = try TreeEntryCodec.checkedOutline(&reader)
    guard isAfterLast(outline.name) else { throw FormatError("its entries are not sorted") }
    remaining -= 1
    if remaining == 0, !reader.isAtEnd { throw FormatError("bytes follow the last entry") }
    lastRange = outline.name
    return outline
  }

  /// The name of the entry that was read last.
  package func name(of outline: EntryOutline) -> [UInt8] { Array(reader.bytes[outline.name]) }

  private func isAfterLast(_ name: Range<Int>) -> Bool {
    reader.bytes.withUnsafeBytes { bytes in
      let new = UnsafeRawBufferPointer(rebasing: bytes[name])
      if let lastRange { return UnsafeRawBufferPointer(rebasing: bytes[lastRange]).lexicographicallyPrecedes(new) }
      return last.map { $0.lexicographicallyPrecedes(new) } ?? true
    }
  }

  package static func passEqual(_ left: inout TreeCursor, _ right: inout TreeCursor) {
    var rest = left.reader.sharedLength(with: right.reader)
    var scan = left.reader
    var name: Range<Int>?
    while left.remaining > 1, right.remaining > 1 {
      let start = scan.position
      // Leave a damaged entry to `next`, which throws.
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
    left.lastRange = nil
    right.lastRange = nil
  }
}
