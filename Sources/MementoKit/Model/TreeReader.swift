// Tree blobs to entries, in order, checked: what is not sorted, not whole or not a tree is refused.

internal import MementoStore

/// Reads blobs that describe: from the store, and from what is not stored yet.
protocol MetaSource: Sendable {
  func readMeta(_ id: ObjectID) throws(StoreError) -> [UInt8]
}

extension Store: MetaSource {
  func readMeta(_ id: ObjectID) throws(StoreError) -> [UInt8] { try read(id) }
}

/// Walks the entries of one directory's tree.
struct TreeReader {

  private let source: any MetaSource
  private var pieces: [(id: ObjectID, level: UInt8?)]
  private var reader: ByteReader
  private var remaining = 0
  private var last: [UInt8]?
  private var piece = ObjectID.zero
  /// The blobs of this directory that were read so far.
  private(set) var visited: [ObjectID] = []
  /// What an inner node names is not entered, but left in `inner`.
  private let isAlone: Bool
  /// The height of the blob that was read last.
  private(set) var level: UInt8 = 0
  /// The pieces of an inner node that was read alone.
  private(set) var inner: [ObjectID] = []

  init(_ id: ObjectID, in source: any MetaSource) {
    self.init(id, in: source, isAlone: false)
  }

  /// Reads one blob of a tree and none of those that it names: for whoever reads each once, however many trees share it.
  init(blob id: ObjectID, in source: any MetaSource) {
    self.init(id, in: source, isAlone: true)
  }

  private init(_ id: ObjectID, in source: any MetaSource, isAlone: Bool) {
    self.source = source
    self.isAlone = isAlone
    pieces = [(id, nil)]
    reader = ByteReader([])
  }

  /// The next entry; nil after the last.
  mutating func next() throws(StoreError) -> TreeEntry? {
    while remaining == 0 {
      guard try nextPiece() else { return nil }
    }
    do throws(FormatError) {
      let entry = try TreeEntryCodec.decode(&reader)
      if let last, !last.lexicographicallyPrecedes(entry.name) {
        throw FormatError("its entries are not sorted")
      }
      remaining -= 1
      if remaining == 0, !reader.isAtEnd { throw FormatError("bytes follow the last entry") }
      last = entry.name
      return entry
    } catch {
      throw damaged(error)
    }
  }

  /// Passes over the entries that are the same bytes in two readers, without making anything of them: most of a folder in
  /// which a file has changed. The last entry of a piece is left for `next`, which checks what follows it.
  static func passEqual(_ left: inout TreeReader, _ right: inout TreeReader) {
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

  private mutating func nextPiece() throws(StoreError) -> Bool {
    guard let (id, expected) = pieces.popLast() else { return false }
    piece = id
    reader = ByteReader(try source.readMeta(id))
    visited.append(id)
    do throws(FormatError) {
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
        return true
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
      return true
    } catch {
      throw damaged(error)
    }
  }

  private func damaged(_ error: FormatError) -> StoreError {
    .damaged(file: "tree \(piece.short)", reason: error.reason)
  }

  /// All entries of a directory.
  static func entries(of id: ObjectID, in source: any MetaSource) throws(StoreError) -> [TreeEntry] {
    var reader = TreeReader(id, in: source)
    var result: [TreeEntry] = []
    while let entry = try reader.next() { result.append(entry) }
    return result
  }

  /// The entry of one name in a directory.
  static func entry(
    named name: [UInt8], of id: ObjectID, in source: any MetaSource
  ) throws(StoreError) -> TreeEntry? {
    var reader = TreeReader(id, in: source)
    while let entry = try reader.next() {
      if entry.name == name { return entry }
    }
    return nil
  }
}
