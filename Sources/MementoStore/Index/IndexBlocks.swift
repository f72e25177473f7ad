// The blocks that the rows of an index table name. There may be millions of them, and a lookup needs one. So the blocks of
// an opened table stay encoded: in memory as they are in the header of the file or, of a large table, in the file.

internal import MementoSystem

/// A block of an index table.
struct IndexedBlock: Sendable {
  /// Index into the packs of its table.
  var pack: UInt32
  var record: BlockRecord
}

struct IndexBlocks: Sendable {
  private enum Form: Sendable {
    case list([IndexedBlock])
    case header([UInt8], start: Int)
    case file(SharedDescriptor, offset: UInt64)
  }

  /// The size of a record in bytes.
  static let recordSize = 24
  /// Records of more bytes than this stay in the file.
  static let residentLimit = 4 << 20
  /// So many records are read at once.
  private static let recordsAtOnce = 4096

  let count: Int
  private let form: Form

  init(_ list: [IndexedBlock]) {
    count = list.count
    form = .list(list)
  }

  /// The `count` records of a header that begin at the byte `start`. The header is long enough for them.
  init(header: [UInt8], start: Int, count: Int) {
    self.count = count
    form = .header(header, start: start)
  }

  /// The `count` records that begin at the byte `offset` of a file.
  init(file: SharedDescriptor, offset: UInt64, count: Int) {
    self.count = count
    form = .file(file, offset: offset)
  }

  /// The block with this number. Nil when there is none, or it is not valid. Throws when it cannot be read.
  func block(_ number: Int) throws(StoreError) -> IndexedBlock? {
    guard number >= 0, number < count else { return nil }
    switch form {
    case .list(let list):
      return list[number]
    case .header(let bytes, let start):
      return IndexBlocks.decode(bytes, at: start + number * IndexBlocks.recordSize)
    case .file:
      return IndexBlocks.decode(try records(from: number, count: 1), at: 0)
    }
  }

  /// Calls `body` with all blocks, in order; with nil for one that is not valid. Throws when they cannot be read.
  func forEach(_ body: (IndexedBlock?) throws(StoreError) -> Void) throws(StoreError) {
    switch form {
    case .list(let list):
      for block in list { try body(block) }
    case .header(let bytes, let start):
      for number in 0..<count { try body(IndexBlocks.decode(bytes, at: start + number * IndexBlocks.recordSize)) }
    case .file:
      var first = 0
      while first < count {
        let number = min(IndexBlocks.recordsAtOnce, count - first)
        let bytes = try records(from: first, count: number)
        for index in 0..<number { try body(IndexBlocks.decode(bytes, at: index * IndexBlocks.recordSize)) }
        first += number
      }
    }
  }

  /// The bytes of records that are in a file.
  private func records(from first: Int, count: Int) throws(StoreError) -> [UInt8] {
    guard case .file(let file, let offset) = form else { return [] }
    let size = IndexBlocks.recordSize
    let bytes = try onFile("read", "index") { () throws(Errno) in
      try file.descriptor.bytes(at: offset + UInt64(first * size), count: count * size)
    }
    guard bytes.count == count * size else { throw .damaged(file: "index", reason: FormatError.truncated.reason) }
    return bytes
  }

  /// Nil when the record is not valid.
  private static func decode(_ bytes: [UInt8], at place: Int) -> IndexedBlock? {
    do throws(FormatError) {
      var reader = try ByteReader(bytes, in: place..<place + recordSize)
      let pack = try reader.u32()
      let kind = BlockKind(rawValue: try reader.u8())
      let codec = Codec(rawValue: try reader.u8())
      try reader.skip(2)
      let raw = try reader.u32()
      let stored = try reader.u32()
      let offset = try reader.u64()
      guard let kind, let codec, raw <= PackFormat.largestBlock, stored <= PackFormat.largestBlock else { return nil }
      return IndexedBlock(
        pack: pack,
        record: BlockRecord(
          kind: kind, codec: codec, rawLength: raw, storedLength: stored, blobCount: 0, offset: offset))
    } catch {
      return nil
    }
  }
}
