// Makes one sorted table from new packs and older tables. The rows of all of them are sorted, so they are merged while
// they are read, and memory does not grow with the number of rows.

internal import MementoSystem

struct IndexMerge {
  /// Why a merge failed.
  enum MergeError: Error {
    /// The rows of a source cannot be read. `source`: its number, in the order in which the sources were added.
    case unreadable(source: Int, StoreError)
    /// The table cannot be written.
    case unwritable(Errno)

    var storeError: StoreError {
      switch self {
      case .unreadable(_, let error): error
      case .unwritable(let error): .system(operation: "write", path: "index", error)
      }
    }
  }

  private(set) var packs: [IndexedPack] = []
  private var packIDs: Set<ObjectID> = []
  private var sources: [any IndexRows] = []
  private var blockCount: UInt32 = 0
  var sourceCount: Int { sources.count }
  /// An upper limit for the number of rows in the merged table.
  private(set) var limit = 0

  /// Adds the rows of a pack, unless they were added before.
  mutating func add(_ pack: PackContents) {
    guard packIDs.insert(pack.id).inserted else { return }
    packs.append(IndexedPack(id: pack.id, size: pack.size))
    add(PackIndexRows(pack.contents, pack: UInt32(packs.count - 1), firstBlock: blockCount))
  }

  /// Adds the rows of a table, without those of packs for which `isPresent` returns false. `pack` is an index into the
  /// table's `packs`.
  mutating func add(_ table: IndexTable, keeping isPresent: (_ pack: Int) -> Bool = { _ in true }) {
    var numbers: [UInt32?] = []
    numbers.reserveCapacity(table.packs.count)
    for (number, pack) in table.packs.enumerated() {
      // Skip packs that were added before: two saves at the same time may both have merged the same table.
      if isPresent(number), packIDs.insert(pack.id).inserted {
        numbers.append(UInt32(packs.count))
        packs.append(pack)
      } else {
        numbers.append(nil)
      }
    }
    add(TableIndexRows(table, packs: numbers, firstBlock: blockCount))
  }

  private mutating func add(_ source: any IndexRows) {
    blockCount += UInt32(source.blockCount)
    limit += source.limit
    sources.append(source)
  }

  /// Calls `body` with the blocks of the table, in order.
  private func forEachBlock(_ body: (IndexedBlock) throws(Errno) -> Void) throws(Errno) {
    for source in sources { try source.forEachBlock(body) }
  }

  /// Calls `body` with the rows of the table, in order.
  private func forEachRow(_ body: (IndexTable.Entry) throws(Errno) -> Void) throws(MergeError) {
    var heads: [(entry: IndexTable.Entry, source: Int)] = []
    for number in sources.indices {
      sources[number].restart()
      if let entry = try next(number) { heads.append((entry, number)) }
    }
    // The rows that come next, one for each source, form a heap with the smallest id first.
    for place in stride(from: heads.count / 2 - 1, through: 0, by: -1) { IndexMerge.sink(&heads, place) }
    while let first = heads.first {
      do throws(Errno) { try body(first.entry) } catch { throw .unwritable(error) }
      if let entry = try next(first.source) {
        heads[0].entry = entry
      } else {
        let last = heads.removeLast()
        if heads.isEmpty { return }
        heads[0] = last
      }
      IndexMerge.sink(&heads, 0)
    }
  }

  private func next(_ number: Int) throws(MergeError) -> IndexTable.Entry? {
    do throws(StoreError) {
      return try sources[number].next()
    } catch {
      throw .unreadable(source: number, error)
    }
  }

  private static func sink(_ heads: inout [(entry: IndexTable.Entry, source: Int)], _ start: Int) {
    var place = start
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < heads.count {
        if heads[child].entry.id < heads[least].entry.id { least = child }
      }
      if least == place { return }
      heads.swapAt(place, least)
      place = least
    }
  }

  // MARK: Making the table

  /// Makes the table in memory. `fileName`: the name of its file in index/, if it has one.
  func inMemory(fileName: [UInt8]? = nil) throws(MergeError) -> IndexTable {
    var rows = ByteWriter(capacity: limit * IndexTable.entrySize)
    try forEachRow { IndexMerge.append($0, to: &rows) }
    var blocks: [IndexedBlock] = []
    do throws(Errno) { try forEachBlock { blocks.append($0) } } catch { throw .unwritable(error) }
    return IndexTable(packs, blocks, rows: rows.bytes, fileName: fileName)
  }

  private static func append(_ row: IndexTable.Entry, to bytes: inout ByteWriter) {
    bytes.id(row.id)
    bytes.u32(row.block)
    bytes.u32(row.offset)
    bytes.u32(row.length)
  }

  /// How many bytes are written at once.
  private static let piece = 256 << 10

  /// Writes the table into an empty file. The rows are written before the header, since only then is their number
  /// known.
  func write(to file: SharedDescriptor) throws(MergeError) {
    var fanout = IndexTable.Fanout(bits: IndexTable.fanoutBits(for: limit))
    var end = UInt64(
      IndexTable.headerSize + packs.count * PackRows.rowSize + Int(blockCount) * IndexBlocks.recordSize
        + (4 << fanout.bits) + 4)
    var count: UInt32 = 0
    var rows = ByteWriter(capacity: IndexMerge.piece + IndexTable.entrySize)
    try forEachRow { (row) throws(Errno) in
      fanout.add(row.id.words.0)
      count += 1
      IndexMerge.append(row, to: &rows)
      if rows.bytes.count >= IndexMerge.piece { try IndexMerge.flush(&rows, at: &end, to: file) }
    }
    do throws(Errno) {
      try IndexMerge.flush(&rows, at: &end, to: file)
      try writeHeader(count, fanout.bits, fanout.sums(), to: file)
    } catch {
      throw .unwritable(error)
    }
  }

  private func writeHeader(
    _ count: UInt32, _ bits: Int, _ fanout: [UInt32], to file: SharedDescriptor
  ) throws(Errno) {
    var end: UInt64 = 0
    var sum: UInt32 = 0
    var out = ByteWriter(capacity: IndexMerge.piece + IndexBlocks.recordSize)
    func flush() throws(Errno) {
      sum = out.bytes.withUnsafeBytes { crc32($0, after: sum) }
      try IndexMerge.flush(&out, at: &end, to: file)
    }
    out.append(IndexTable.magic)
    for number in [UInt32(packs.count), blockCount, count, UInt32(bits)] { out.u32(number) }
    for pack in packs {
      out.id(pack.id)
      out.u64(pack.size)
      if out.bytes.count >= IndexMerge.piece { try flush() }
    }
    try forEachBlock { (block) throws(Errno) in
      out.u32(block.pack)
      out.u8(block.record.kind.rawValue)
      out.u8(block.record.codec.rawValue)
      out.append([0, 0])
      out.u32(block.record.rawLength)
      out.u32(block.record.storedLength)
      out.u64(block.record.offset)
      if out.bytes.count >= IndexMerge.piece { try flush() }
    }
    for value in fanout {
      out.u32(value)
      if out.bytes.count >= IndexMerge.piece { try flush() }
    }
    out.u32(out.bytes.withUnsafeBytes { crc32($0, after: sum) })
    try IndexMerge.flush(&out, at: &end, to: file)
  }

  private static func flush(
    _ bytes: inout ByteWriter, at end: inout UInt64, to file: SharedDescriptor
  ) throws(Errno) {
    try file.descriptor.write(bytes.bytes, at: end)
    end += UInt64(bytes.bytes.count)
    bytes.bytes.removeAll(keepingCapacity: true)
  }
}
