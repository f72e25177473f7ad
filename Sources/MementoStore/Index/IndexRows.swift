// The sources of a merged table: sorted rows that are read once, from first to last.

internal import MementoSystem

/// A source of rows in the order of their ids. The block numbers in its rows are those of the merged table.
protocol IndexRows: AnyObject {
  /// An upper limit for the number of rows: a source may skip some.
  var limit: Int { get }
  /// How many blocks its rows name.
  var blockCount: Int { get }

  /// Calls `body` with the blocks that its rows name, in the order of their numbers.
  func forEachBlock(_ body: (IndexedBlock) throws(Errno) -> Void) throws(Errno)

  /// The next row; nil at the end. Throws when the rows cannot be read, or are not sorted.
  func next() throws(StoreError) -> IndexTable.Entry?

  /// Goes back to the first row.
  func restart()
}

/// The rows of one pack, made from its table of contents.
final class PackIndexRows: IndexRows {
  private let contents: TableOfContents
  private let pack: UInt32
  private let firstBlock: UInt32
  /// The blobs in the order of their ids, each with the first word of its id: 16 bytes a row.
  private var order: [(word: UInt64, blob: UInt32)]
  /// For each blob, its offset in its block; for each block, the index of its first blob.
  private var offsets: [UInt32]
  private var starts: [Int]
  private var place = 0

  /// `pack` and `firstBlock`: the numbers of this pack and of its first block in the merged table.
  init(_ contents: TableOfContents, pack: UInt32, firstBlock: UInt32) {
    self.contents = contents
    self.pack = pack
    self.firstBlock = firstBlock
    let blobs = contents.blobs
    offsets = []
    starts = []
    offsets.reserveCapacity(blobs.count)
    starts.reserveCapacity(contents.blocks.count)
    for block in contents.blocks {
      starts.append(offsets.count)
      var offset: UInt32 = 0
      for _ in 0..<block.blobCount {
        let length = blobs[offsets.count].length
        offsets.append(offset)
        offset += length
      }
    }
    order = blobs.indices.map { (blobs[$0].id.words.0, UInt32($0)) }
    order.sort { left, right in
      left.word == right.word ? blobs[Int(left.blob)].id < blobs[Int(right.blob)].id : left.word < right.word
    }
  }

  var limit: Int { order.count }
  var blockCount: Int { contents.blocks.count }

  func forEachBlock(_ body: (IndexedBlock) throws(Errno) -> Void) throws(Errno) {
    for block in contents.blocks { try body(IndexedBlock(pack: pack, record: block)) }
  }

  func next() -> IndexTable.Entry? {
    if place == order.count { return nil }
    let blob = Int(order[place].blob)
    place += 1
    let record = contents.blobs[blob]
    return IndexTable.Entry(
      id: record.id, block: firstBlock + UInt32(block(of: blob)), offset: offsets[blob], length: record.length)
  }

  /// The block of a blob: the last one whose first blob is this blob or an earlier one. Blocks without blobs start at
  /// the same index as the next block.
  private func block(of blob: Int) -> Int {
    var low = 0
    var high = starts.count
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= blob { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  func restart() {
    place = 0
  }
}

/// The rows of a table, without those of the packs that are left out.
final class TableIndexRows: IndexRows {
  private static let leftOut = UInt32.max
  private let table: IndexTable
  /// For each pack of the table, its number in the merged table.
  private let packs: [UInt32]
  private let firstBlock: UInt32
  /// For each block of the table, its number in the merged table. Nil when all blocks are taken over in order.
  private var blocks: [UInt32]?
  private(set) var blockCount = 0
  /// Why the blocks could not be read. There are no rows then.
  private var failure: StoreError?
  private var row = 0
  private var piece: [UInt8] = []
  private var place = 0
  private var last = ObjectID.zero

  /// `packs`: the numbers of the table's packs in the merged table; nil for packs that are left out.
  init(_ table: IndexTable, packs: [UInt32?], firstBlock: UInt32) {
    self.table = table
    self.packs = packs.map { $0 ?? TableIndexRows.leftOut }
    self.firstBlock = firstBlock
    do throws(StoreError) {
      var kept = 0
      try table.forEachBlock { block in kept += isKept(block) ? 1 : 0 }
      blockCount = kept
      if kept == table.blockCount { return }
      var numbers: [UInt32] = []
      numbers.reserveCapacity(table.blockCount)
      var next = firstBlock
      try table.forEachBlock { block in
        numbers.append(isKept(block) ? next : TableIndexRows.leftOut)
        if isKept(block) { next += 1 }
      }
      blocks = numbers
    } catch {
      failure = error
      blockCount = 0
    }
  }

  private func isKept(_ block: IndexedBlock?) -> Bool {
    block.map { packs[Int($0.pack)] != TableIndexRows.leftOut } ?? false
  }

  var limit: Int { table.count }

  func forEachBlock(_ body: (IndexedBlock) throws(Errno) -> Void) throws(Errno) {
    if failure != nil { return }
    var unwritten: Errno?
    do throws(StoreError) {
      try table.forEachBlock { block in
        guard unwritten == nil, let block, isKept(block) else { return }
        do throws(Errno) {
          try body(IndexedBlock(pack: packs[Int(block.pack)], record: block.record))
        } catch {
          unwritten = error
        }
      }
    } catch {
      // They were read once already. The table is not made, and the packs are read instead.
      throw .input
    }
    if let unwritten { throw unwritten }
  }

  func next() throws(StoreError) -> IndexTable.Entry? {
    if let failure { throw failure }
    while true {
      if place == piece.count {
        if row == table.count { return nil }
        let count = min(IndexTable.rowsAtOnce, table.count - row)
        piece = try table.rows(from: row, count: count)
        row += count
        place = 0
      }
      var entry = piece.withUnsafeBytes { IndexTable.entry($0.baseAddress! + place) }
      place += IndexTable.entrySize
      if entry.id == .zero { throw IndexTable.hole }
      guard !(entry.id < last) else { throw .damaged(file: "index", reason: "it is not sorted") }
      last = entry.id
      // Skip rows that name no block of the table, or a block of a pack that is left out.
      guard entry.block < UInt32(table.blockCount) else { continue }
      let block = blocks.map { $0[Int(entry.block)] } ?? firstBlock + entry.block
      if block == TableIndexRows.leftOut { continue }
      entry.block = block
      return entry
    }
  }

  func restart() {
    row = 0
    piece = []
    place = 0
    last = .zero
  }
}
