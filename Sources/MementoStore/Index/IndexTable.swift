// A sorted table from ids to places. Its rows have the same bytes on disk and in memory. See docs/format.md, "index".

internal import MementoSystem
internal import Synchronization

/// An immutable table. A small one is held in memory. Of a larger one, each lookup reads one bucket from the file;
/// after enough lookups, all entries are loaded, unless there are too many for memory.
package final class IndexTable: Sendable {
  static let magic = Array("memento index 1\n".utf8)
  static let headerSize = 16 + 4 + 4 + 4 + 4
  static let entrySize = 44
  /// Tables with up to this many bytes of entries are held in memory from the start.
  static let smallTable = 64 << 10
  /// Tables with up to this many bytes of entries are held in memory once they are used a lot.
  static let residentLimit = 16 << 20
  /// After this many lookups, the entries are loaded into memory.
  static let lookupsBeforeLoading = 64
  /// The largest header in bytes. A file whose counts ask for a larger one is damaged.
  static let headerLimit = 1 << 30

  private enum Entries: Sendable {
    case resident([UInt8])
    case onDisk(SharedDescriptor, offset: UInt64, lookups: Int)
  }

  let packs: PackRows
  private let blocks: IndexBlocks
  private let fanout: [UInt32]
  private let fanoutBits: Int
  private let entries: Mutex<Entries>
  /// How many rows it has.
  let count: Int
  /// The name of its file in index/. Nil for a table that has no such file.
  let fileName: [UInt8]?

  /// One row of the table.
  struct Entry {
    var id: ObjectID
    var block: UInt32
    var offset: UInt32
    var length: UInt32
  }

  /// Makes a table in memory. `rows`: sorted rows, encoded as in a file.
  init(_ packs: [IndexedPack], _ blocks: [IndexedBlock], rows: [UInt8], fileName: [UInt8]? = nil) {
    self.packs = PackRows(packs)
    self.blocks = IndexBlocks(blocks)
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

  /// How many leading bits of an id select a bucket, in a table with at most `count` rows. There are at most 20 bits;
  /// below that, a bucket has 32 rows or fewer on average.
  static func fanoutBits(for count: Int) -> Int {
    var bits = 0
    while bits < 20, count >> bits > 32 { bits += 1 }
    return bits
  }

  /// For each value of the leading bits of an id, how many rows have that value or a smaller one. The rows are counted
  /// while they are written.
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

  var blockCount: Int { blocks.count }

  /// The block with this number. Nil when there is none, or it is not valid. Throws when it cannot be read.
  func block(_ number: Int) throws(StoreError) -> IndexedBlock? {
    guard let block = try blocks.block(number), Int(block.pack) < packs.count else { return nil }
    return block
  }

  /// Calls `body` with all blocks, in order; with nil for one that is not valid. Throws when they cannot be read.
  func forEachBlock(_ body: (IndexedBlock?) throws(StoreError) -> Void) throws(StoreError) {
    let packCount = packs.count
    try blocks.forEach { (block) throws(StoreError) in
      try body(block.flatMap { Int($0.pack) < packCount ? $0 : nil })
    }
  }

  /// Calls `body` with each row that has this id. There is more than one when several packs hold the blob. Throws when
  /// the rows cannot be read.
  func find(_ id: ObjectID, _ body: (IndexedBlock, Entry) -> Void) throws(StoreError) {
    let bucket = IndexTable.bucket(of: id.words.0, bits: fanoutBits)
    let first = bucket == 0 ? 0 : Int(fanout[bucket - 1])
    let last = Int(fanout[bucket])
    guard first < last, last <= count, (last - first) * IndexTable.entrySize <= IndexTable.residentLimit
    else { return }
    switch entriesForLookup() {
    case .resident(let bytes):
      try look(for: id, in: bytes, rows: first..<last, body)
    case .onDisk(let file, let offset, _):
      let start = offset + UInt64(first * IndexTable.entrySize)
      let length = (last - first) * IndexTable.entrySize
      let bytes = try onFile("read", "index") { () throws(Errno) in try file.descriptor.bytes(at: start, count: length)
      }
      guard bytes.count == length else { throw .damaged(file: "index", reason: FormatError.truncated.reason) }
      try look(for: id, in: bytes, rows: 0..<last - first, body)
    }
  }

  /// The entries as they are now. Loads them into memory when enough lookups have been made.
  private func entriesForLookup() -> Entries {
    entries.withLock { entries in
      guard case .onDisk(let file, let offset, let lookups) = entries else { return entries }
      let length = count * IndexTable.entrySize
      // If they cannot be loaded, each lookup goes on reading its bucket.
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

  /// Calls `body` with each of the rows that has this id. `bytes`: sorted rows.
  private func look(
    for id: ObjectID, in bytes: [UInt8], rows: Range<Int>, _ body: (IndexedBlock, Entry) -> Void
  ) throws(StoreError) {
    var row = bytes.withUnsafeBytes { IndexTable.firstRow(in: $0, rows, of: id) }
    while row < rows.upperBound {
      let entry = bytes.withUnsafeBytes { IndexTable.entry($0.baseAddress! + row * IndexTable.entrySize) }
      guard entry.id == id else { return }
      if let block = try block(Int(entry.block)) { body(block, entry) }
      row += 1
    }
  }

  /// The first row whose id is not smaller.
  private static func firstRow(in bytes: UnsafeRawBufferPointer, _ rows: Range<Int>, of id: ObjectID) -> Int {
    var low = rows.lowerBound
    var high = rows.upperBound
    while low < high {
      let middle = (low + high) / 2
      if ObjectID(loading: bytes.baseAddress! + middle * entrySize) < id {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
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

  /// The bytes of `count` rows, beginning with the row number `row`. Throws when they cannot be read.
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

  /// Calls `body` with all rows, in order. Throws when they cannot be read, or when a row has an id of zeros: no blob
  /// has that id, so the file has a hole there.
  func forEachEntry(_ body: (Entry) throws(StoreError) -> Void) throws(StoreError) {
    var row = 0
    while row < count {
      let number = min(IndexTable.rowsAtOnce, count - row)
      let bytes = try rows(from: row, count: number)
      for index in 0..<number {
        let entry = bytes.withUnsafeBytes { IndexTable.entry($0.baseAddress! + index * IndexTable.entrySize) }
        if entry.id == .zero { throw IndexTable.hole }
        try body(entry)
      }
      row += number
    }
  }

  static let hole = StoreError.damaged(file: "index", reason: "it has a row without an id")

  // MARK: On disk

  /// Opens a table. Nil when it is damaged: it can be built again from the packs. Throws when it cannot be read.
  convenience init?(opening name: [UInt8], in folder: borrowing Descriptor) throws(Errno) {
    try self.init(reading: SharedDescriptor(folder.open(name, .read)), named: name)
  }

  /// Same, for an open file. `name`: its name in index/; nil when it has none. `residentBlocks`: of more bytes, the records
  /// of blocks stay in the file.
  init?(
    reading shared: SharedDescriptor, named name: [UInt8]?, residentBlocks: Int = IndexBlocks.residentLimit
  ) throws(Errno) {
    let status = try shared.descriptor.status()
    guard status.isRegular else { return nil }
    let start = try shared.descriptor.bytes(at: 0, count: IndexTable.headerSize)
    guard let sizes = IndexTable.sizes(start, fileSize: status.size) else { return nil }
    guard try IndexTable.isIntact(shared.descriptor, headerSize: sizes.header) else { return nil }
    let blocksStart = IndexTable.headerSize + sizes.packs * PackRows.rowSize
    let blocksSize = sizes.blocks * IndexBlocks.recordSize
    let isLarge = blocksSize > residentBlocks
    // Of a large table, the blocks stay in the file.
    let headSize = isLarge ? blocksStart : blocksStart + blocksSize
    let head = try shared.descriptor.bytes(at: 0, count: headSize)
    let sums = try shared.descriptor.bytes(at: UInt64(blocksStart + blocksSize), count: 4 << sizes.fanoutBits)
    guard head.count == headSize, sums.count == 4 << sizes.fanoutBits,
      let fanout = IndexTable.fanout(sums, entries: sizes.entries)
    else { return nil }
    packs = PackRows(header: head, start: IndexTable.headerSize, count: sizes.packs)
    blocks =
      isLarge
      ? IndexBlocks(file: shared, offset: UInt64(blocksStart), count: sizes.blocks)
      : IndexBlocks(header: head, start: blocksStart, count: sizes.blocks)
    self.fanout = fanout
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

  /// Whether the header has its checksum.
  ///
  /// The header is checked in pieces before memory is reserved for any of it. A forged file may be a hole of a gigabyte; its
  /// first piece of zeros shows that.
  private static func isIntact(_ file: borrowing Descriptor, headerSize size: Int) throws(Errno) -> Bool {
    let step = 128 << 10
    var sum: UInt32 = 0
    var place = 0
    while place < size - 4 {
      let count = min(step, size - 4 - place)
      let piece = try file.bytes(at: UInt64(place), count: count)
      guard piece.count == count, count < step || piece.contains(where: { $0 != 0 }) else { return false }
      sum = piece.withUnsafeBytes { crc32($0, after: sum) }
      place += count
    }
    let end = try file.bytes(at: UInt64(size - 4), count: 4)
    return end.count == 4 && end.reversed().reduce(0, { $0 << 8 | UInt32($1) }) == sum
  }

  /// The sums of a fanout. Nil when they are not sorted.
  private static func fanout(_ bytes: [UInt8], entries: Int) -> [UInt32]? {
    var sums: [UInt32] = []
    sums.reserveCapacity(bytes.count / 4)
    var reader = ByteReader(bytes)
    do throws(FormatError) {
      while reader.remaining > 0 {
        let value = try reader.u32()
        guard value >= sums.last ?? 0, value <= entries else { return nil }
        sums.append(value)
      }
    } catch {
      return nil
    }
    return sums
  }

  /// Reads the counts at the beginning of a file. Nil when they do not fit the size of the file.
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
      let header = headerSize + packs * PackRows.rowSize + blocks * IndexBlocks.recordSize + (4 << bits) + 4
      guard header <= headerLimit, fileSize == UInt64(header) + UInt64(entries) * UInt64(entrySize) else { return nil }
      return (packs, blocks, entries, bits, header)
    } catch {
      return nil
    }
  }
}
