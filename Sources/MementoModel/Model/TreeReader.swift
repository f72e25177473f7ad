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
    guard try openPiece() else { return nil }
    do throws(FormatError) {
      return try cursor.nextOutline()
    } catch {
      throw damaged(error)
    }
  }

  /// Opens the next blob with entries when the one before has no more. Returns false at the end of the directory.
  @inlinable mutating func openPiece() throws(Failure) -> Bool {
    while cursor.remaining == 0 {
      guard let piece = cursor.takePiece() else { return false }
      let bytes = try source.readMeta(piece)
      do throws(FormatError) {
        try cursor.open(bytes)
      } catch {
        throw damaged(error)
      }
    }
    return true
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

  /// The entry of one name in a directory. Nil when there is none. The entries before it are checked less than by `next`, and
  /// those behind it are not read.
  @inlinable package static func entry(
    named name: [UInt8], of id: ObjectID, in source: any BlobSource<Failure>
  ) throws(Failure) -> TreeEntry? {
    var reader = TreeReader(id, in: source)
    while try reader.openPiece() {
      reader.cursor.passEntries(before: name)
      guard let entry = try reader.next() else { return nil }
      if entry.name == name { return entry }
      if name.lexicographicallyPrecedes(entry.name) { return nil }
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

  /// Passes the entries of the blob whose names come before `name`, but for the last one: `nextOutline` checks what follows
  /// it. Stops also at what `nextOutline` refuses.
  package mutating func passEntries(before name: [UInt8]) {
    pass(in: reader.position..<reader.end) { found, bytes in
      name.withUnsafeBytes { EntryScan.precedes(found, $0, in: bytes) }
    }
  }

  package static func passEqual(_ left: inout TreeCursor, _ right: inout TreeCursor) {
    let start = left.reader.position
    let most = min(left.remaining, right.remaining) - 1
    let shared = left.reader.sharedLength(with: right.reader)
    let passed = left.pass(most, in: start..<start + shared) { _, _ in true }
    if passed == 0 { return }
    let move = right.reader.position - start
    right.reader.position = left.reader.position + move
    right.remaining -= passed
    right.lastRange = left.lastRange.map { $0.lowerBound + move..<$0.upperBound + move }
  }

  /// Passes as many as `most` entries that lie in `range` and of which `isMeant` is true, but not the last one of the blob. `isMeant` gets
  /// the range of the name, and all bytes. Stops at what is no entry, or not sorted. Returns how many it passed.
  @discardableResult private mutating func pass(
    _ most: Int = .max, in range: Range<Int>, _ isMeant: (Range<Int>, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    let most = min(most, remaining - 1)
    if most <= 0 { return 0 }
    var passed = 0
    var end = range.lowerBound
    var name = lastRange
    reader.bytes.withUnsafeBytes { bytes in
      var scan = EntryScan(UnsafeRawBufferPointer(rebasing: bytes[..<range.upperBound]), from: range.lowerBound)
      while passed < most, let found = scan.pass() {
        let bytesOfName = UnsafeRawBufferPointer(rebasing: bytes[found])
        if let name, !EntryScan.precedes(name, bytesOfName, in: bytes) { break }
        if name == nil, let last, !last.lexicographicallyPrecedes(bytesOfName) { break }
        if !isMeant(found, bytes) { break }
        name = found
        end = scan.position
        passed += 1
      }
    }
    reader.position = end
    remaining -= passed
    lastRange = name
    return passed
  }
}
