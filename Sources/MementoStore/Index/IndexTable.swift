// One sorted table from ids to places, on disk and in memory the same bytes. See docs/format.md, "index".

internal import MementoSystem
internal import Synchronization

/// An immutable table. Small ones are held in memory. Of others a bucket is read at a time, until so many were asked for
/// that reading all at once is less work; of large ones always.
package final class IndexTable: Sendable {
  static let magic = Array("memento index 1\n".utf8)
  static let headerSize = 16 + 4 + 4 + 4 + 4
  static let blockSize = 24
  static let entrySize = 44
  /// Tables with up to this many bytes of entries are held in memory from the start.
  static let smallTable = 64 << 10
  /// Tables with up to this many bytes of entries are held in memory once they are used a lot.
  static let residentLimit = 16 << 20
  /// How many buckets are read before.
  static let lookupsBeforeLoading = 64
  /// No header is longer, bytes, whatever the counts at its beginning say.
  static let headerLimit = 1 << 30

  private enum Entries: Sendable {
    case resident([UInt8])
    case onDisk(SharedDescriptor, offset: UInt64, lookups: Int)
  }

  /// Tens of thousands of blocks, of which a lookup wants one: those of an opened table stay as they stand on disk.
  private enum Blocks: Sendable {
    case list([IndexedBlock])
    case header([UInt8], start: Int, count: Int)
  }

  let packs: PackRows
  private let blocks: Blocks
  private let fanout: [UInt32]
  private let fanoutBits: Int
  private let entries: Mutex<Entries>
  let count: Int
  /// Its name in index/; nil for a table that is in memory only.
  let fileName: [UInt8]?

  struct IndexedBlock: Sendable {
    /// Index into `packs` of this table.
    var pack: UInt32
    var record: BlockRecord
  }

  /// One row of the table.
  struct Entry {
    var id: ObjectID
    var block: UInt32
    var offset: UInt32
    var length: UInt32
  }

  /// A table in memory. `rows`: as they stand in a file, sorted.
  init(_ packs: [IndexedPack], _ blocks: [IndexedBlock], rows: [UInt8], fileName: [UInt8]? = nil) {
    self.packs = PackRows(packs)
    self.blocks = .list(blocks)
    count = rows.count / IndexTable.entrySize
    fanoutBits = IndexTable.fanoutBits(for: count)
    var fanout = Fanout(bits: fanoutBits)
    rows.withUnsafeBytes { rows in
      for position in stride(from: 0, to: rows.count, by: IndexTable.entrySize) {
        fanout.add(UInt64(bigEndian: rows.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
      }
    }
    self.fanout = fanout.sums()
    entries = Mutex(.resident(rows))
    self.fileName = fileName
  }

  static func fanoutBits(for count: Int) -> Int {
    var bits = 0
    while bits < 20, count >> bits > 32 { bits += 1 }
    return bits
  }

  /// How many entries have an id whose first bits are at most each value: counted while the rows are written.
  struct Fanout {
    let bits: Int
    private var counts: [UInt32]

    init(bits: Int) {
      self.bits = bits
      counts = [UInt32](repeating: 0, count: 1 << bits)
    }

    /// Counts a row by the first word of its id.
    mutating func add(_ word: UInt64) {
      counts[IndexTable.bucket(of: word, bits: bits)] += 1
    }

    consuming func sums() -> [UInt32] {
      var sum: UInt32 = 0
      for index in counts.indices {
        sum += counts[index]
        counts[index] = sum
      }
      return counts
    }
  }

  static func bucket(of word: UInt64, bits: Int) -> Int {
    bits == 0 ? 0 : Int(word >> UInt64(64 - bits))
  }

  var blockCount: Int {
    switch blocks {
    case .list(let list): list.count
    case .header(_, _, let count): count
    }
  }

  /// Nil when there is no such block, or none that makes sense.
  func block(_ number: Int) -> IndexedBlock? {
    guard number >= 0, number < blockCount else { return nil }
    switch blocks {
    case .list(let list):
      return list[number]
    case .header(let bytes, let start, _):
      let place = start + number * IndexTable.blockSize
      do throws(FormatError) {
        var reader = try ByteReader(bytes, in: place..<place + IndexTable.blockSize)
        let block = try IndexTable.block(&reader)
        return Int(block.pack) < packs.count ? block : nil
      } catch {
        return nil
      }
    }
  }

  /// Calls `body` with each row that has this id: more than one when several packs hold the blob. Throws when the rows
  /// cannot be read.
  func find(_ id: ObjectID, _ body: (IndexedBlock, Entry) -> Void) throws(StoreError) {
    let bucket = IndexTable.bucket(of: id.words.0, bits: fanoutBits)
    let first = bucket == 0 ? 0 : Int(fanout[bucket - 1])
    let last = Int(fanout[bucket])
    guard first < last, last <= count, (last - first) * IndexTable.entrySize <= IndexTable.residentLimit
    else { return }
    switch entriesForLookup() {
    case .resident(let bytes):
      bytes.withUnsafeBytes { search($0, rows: first..<last, id, body) }
    case .onDisk(let file, let offset, _):
      let start = offset + UInt64(first * IndexTable.entrySize)
      let length = (last - first) * IndexTable.entrySize
      let bytes = try onFile("read", "index") { () throws(Errno) in try file.descriptor.bytes(at: start, count: length)
      }
      guard bytes.count == length else { throw .damaged(file: "index", reason: FormatError.truncated.reason) }
      bytes.withUnsafeBytes { search($0, rows: 0..<last - first, id, body) }
    }
  }

  /// The entries as they are now; loads them when they have been asked for often enough.
  private func entriesForLookup() -> Entries {
    entries.withLock { entries in
      guard case .onDisk(let file, let offset, let lookups) = entries else { return entries }
      let length = count * IndexTable.entrySize
      // When it cannot be loaded, it is read in pieces as before.
      if lookups == IndexTable.lookupsBeforeLoading, length <= IndexTable.residentLimit,
        let bytes = try? file.descriptor.bytes(at: offset, count: length), bytes.count == length
      {
        entries = .resident(bytes)
      } else {
        entries = .onDisk(file, offset: offset, lookups: lookups + 1)
      }
      return entries
    }
  }

  private func search(
    _ bytes: UnsafeRawBufferPointer, rows: Range<Int>, _ id: ObjectID,
    _ body: (IndexedBlock, Entry) -> Void
  ) {
    let size = IndexTable.entrySize
    var low = rows.lowerBound
    var high = rows.upperBound
    while low < high {
      let middle = (low + high) / 2
      if ObjectID(loading: bytes.baseAddress! + middle * size) < id {
        low = middle + 1
      } else {
        high = middle
      }
    }
    while low < rows.upperBound {
      let entry = IndexTable.entry(bytes.baseAddress! + low * size)
      guard entry.id == id else { return }
      if let block = block(Int(entry.block)) { body(block, entry) }
      low += 1
    }
  }

  static func entry(_ bytes: UnsafeRawPointer) -> Entry {
    Entry(
      id: ObjectID(loading: bytes),
      block: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 32, as: UInt32.self)),
      offset: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 36, as: UInt32.self)),
      length: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 40, as: UInt32.self)))
  }

  /// How many rows are read at once.
  static let rowsAtOnce = 4096

  /// The bytes of `count` rows from `row` on. Throws when they cannot be read, or are a hole: no blob has an id of zeros.
  func rows(from row: Int, count: Int) throws(StoreError) -> [UInt8] {
    let size = IndexTable.entrySize
    let bytes: [UInt8]
    switch entries.withLock({ $0 }) {
    case .resident(let all):
      bytes = Array(all[row * size..<(row + count) * size])
    case .onDisk(let file, let offset, _):
      bytes = try onFile("read", "index") { () throws(Errno) in
        try file.descriptor.bytes(at: offset + UInt64(row * size), count: count * size)
      }
    }
    guard bytes.count == count * size else { throw .damaged(file: "index", reason: FormatError.truncated.reason) }
    return bytes
  }

  /// Reads all rows front to back, in pieces.
  func forEachEntry(_ body: (Entry) -> Void) throws(StoreError) {
    var row = 0
    while row < count {
      let number = min(IndexTable.rowsAtOnce, count - row)
      let isWhole = try rows(from: row, count: number).withUnsafeBytes { bytes in
        for index in 0..<number {
          let entry = IndexTable.entry(bytes.baseAddress! + index * IndexTable.entrySize)
          if entry.id == .zero { return false }
          body(entry)
        }
        return true
      }
      guard isWhole else { throw IndexTable.hole }
      row += number
    }
  }

  static let hole = StoreError.damaged(file: "index", reason: "it has a row without an id")

  // MARK: On disk

  /// Opens a table; nil when it is damaged, which costs nothing but building it again. Throws when it cannot be read.
  convenience init?(opening name: [UInt8], in folder: borrowing Descriptor) throws(Errno) {
    try self.init(reading: SharedDescriptor(folder.open(name, .read)), named: name)
  }

  /// The same for an open file. `name`: nil for one that has no name in index/.
  init?(reading shared: SharedDescriptor, named name: [UInt8]?) throws(Errno) {
    let status = try shared.descriptor.status()
    guard status.isRegular else { return nil }
    let start = try shared.descriptor.bytes(at: 0, count: IndexTable.headerSize)
    guard let sizes = IndexTable.sizes(start, fileSize: status.size) else { return nil }
    guard let header = try IndexTable.header(of: shared.descriptor, size: sizes.header) else { return nil }
    do throws(FormatError) {
      let blocksStart = IndexTable.headerSize + sizes.packs * PackRows.rowSize
      packs = PackRows(header: header, start: IndexTable.headerSize, count: sizes.packs)
      blocks = .header(header, start: blocksStart, count: sizes.blocks)
      var reader = try ByteReader(
        header, in: blocksStart + sizes.blocks * IndexTable.blockSize..<sizes.header)
      var fanout: [UInt32] = []
      fanout.reserveCapacity(1 << sizes.fanoutBits)
      for _ in 0..<1 << sizes.fanoutBits {
        let value = try reader.u32()
        guard value >= fanout.last ?? 0, value <= sizes.entries else {
          throw FormatError("it is not sorted")
        }
        fanout.append(value)
      }
      self.fanout = fanout
    } catch {
      return nil
    }
    fanoutBits = sizes.fanoutBits
    count = sizes.entries
    fileName = name
    let length = sizes.entries * IndexTable.entrySize
    if length <= IndexTable.smallTable {
      let bytes = try shared.descriptor.bytes(at: UInt64(sizes.header), count: length)
      guard bytes.count == length else { return nil }
      entries = Mutex(.resident(bytes))
    } else {
      entries = Mutex(.onDisk(shared, offset: UInt64(sizes.header), lookups: 0))
    }
  }

  /// The header, which matches its checksum; nil when it does not. It is checked in pieces, and no room is made for the whole
  /// before that is done: a file may be a hole of a gigabyte, and the first piece of zeros says so.
  private static func header(of file: borrowing Descriptor, size: Int) throws(Errno) -> [UInt8]? {
    let step = 128 << 10
    var sum: UInt32 = 0
    var place = 0
    var piece: [UInt8] = []
    while place < size - 4 {
      let count = min(step, size - place)
      piece = try file.bytes(at: UInt64(place), count: count)
      guard piece.count == count, count < step || piece.contains(where: { $0 != 0 }) else { return nil }
      let summed = min(count, size - 4 - place)
      sum = piece.withUnsafeBytes { crc32(UnsafeRawBufferPointer(rebasing: $0[..<summed]), after: sum) }
      place += count
    }
    let header = size <= step ? piece : try file.bytes(at: 0, count: size)
    guard header.count == size, header.suffix(4).reversed().reduce(0, { $0 << 8 | UInt32($1) }) == sum else {
      return nil
    }
    return header
  }

  private static func block(_ reader: inout ByteReader) throws(FormatError) -> IndexedBlock {
    let pack = try reader.u32()
    let kind = BlockKind(rawValue: try reader.u8())
    let codec = Codec(rawValue: try reader.u8())
    try reader.skip(2)
    let raw = try reader.u32()
    let stored = try reader.u32()
    let offset = try reader.u64()
    guard let kind, let codec, raw <= PackFormat.largestBlock, stored <= PackFormat.largestBlock
    else { throw FormatError("a block of an unknown kind or size") }
    return IndexedBlock(
      pack: pack,
      record: BlockRecord(
        kind: kind, codec: codec, rawLength: raw, storedLength: stored, blobCount: 0,
        offset: offset))
  }

  /// The counts in the first bytes, when they fit the size of the file.
  private static func sizes(
    _ start: [UInt8], fileSize: UInt64
  ) -> (packs: Int, blocks: Int, entries: Int, fanoutBits: Int, header: Int)? {
    do throws(FormatError) {
      var reader = ByteReader(start)
      guard try reader.take(magic.count) == magic else { return nil }
      let packs = Int(try reader.u32())
      let blocks = Int(try reader.u32())
      let entries = Int(try reader.u32())
      let bits = Int(try reader.u32())
      guard bits <= 20 else { return nil }
      let header = headerSize + packs * PackRows.rowSize + blocks * blockSize + (4 << bits) + 4
      guard header <= headerLimit, fileSize == UInt64(header) + UInt64(entries) * UInt64(entrySize) else { return nil }
      return (packs, blocks, entries, bits, header)
    } catch {
      return nil
    }
  }
}
