// Makes one sorted table out of fresh packs and older tables.

/// The rows of a table before they are sorted.
struct IndexTableBuilder {
  private(set) var packs: [IndexedPack] = []
  private(set) var blocks: [IndexTable.IndexedBlock] = []
  private var rows: ContiguousArray<IndexTable.Entry> = []
  private var packIDs: Set<ObjectID> = []
  /// The sorted rows as they stand on disk; set by `sort`.
  private(set) var entryBytes: [UInt8] = []

  var entryCount: Int { entryBytes.count / IndexTable.entrySize }

  mutating func add(_ pack: PackContents) {
    guard packIDs.insert(pack.id).inserted else { return }
    let packNumber = UInt32(packs.count)
    packs.append(IndexedPack(id: pack.id, size: pack.size))
    var blob = 0
    for block in pack.contents.blocks {
      let blockNumber = UInt32(blocks.count)
      blocks.append(IndexTable.IndexedBlock(pack: packNumber, record: block))
      var offset: UInt32 = 0
      for _ in 0..<block.blobCount {
        let record = pack.contents.blobs[blob]
        rows.append(
          IndexTable.Entry(id: record.id, block: blockNumber, offset: offset, length: record.length)
        )
        offset += record.length
        blob += 1
      }
    }
  }

  /// Takes over the rows of a table, without those of packs that are gone.
  mutating func add(_ table: IndexTable, keeping isPresent: (_ pack: Int) -> Bool) throws(StoreError) {
    var packNumbers: [UInt32?] = []
    for (number, pack) in table.packs.enumerated() {
      // Two saves at once may each have merged the same table.
      if isPresent(number), packIDs.insert(pack.id).inserted {
        packNumbers.append(UInt32(packs.count))
        packs.append(pack)
      } else {
        packNumbers.append(nil)
      }
    }
    var blockNumbers: [UInt32?] = []
    for number in 0..<table.blockCount {
      if let block = table.block(number), let pack = packNumbers[Int(block.pack)] {
        blockNumbers.append(UInt32(blocks.count))
        blocks.append(IndexTable.IndexedBlock(pack: pack, record: block.record))
      } else {
        blockNumbers.append(nil)
      }
    }
    // No more at once: the table says how many rows it has, and may be a hole.
    rows.reserveCapacity(rows.count + min(table.count, 1 << 20))
    try table.forEachEntry { entry in
      guard Int(entry.block) < blockNumbers.count, let block = blockNumbers[Int(entry.block)] else {
        return
      }
      var moved = entry
      moved.block = block
      rows.append(moved)
    }
  }

  mutating func sort() {
    rows.sort { $0.id < $1.id }
    entryBytes = [UInt8](unsafeUninitializedCapacity: rows.count * IndexTable.entrySize) {
      buffer, count in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      for (index, row) in rows.enumerated() {
        let start = bytes.baseAddress! + index * IndexTable.entrySize
        row.id.store(to: start)
        start.storeBytes(of: row.block.littleEndian, toByteOffset: 32, as: UInt32.self)
        start.storeBytes(of: row.offset.littleEndian, toByteOffset: 36, as: UInt32.self)
        start.storeBytes(of: row.length.littleEndian, toByteOffset: 40, as: UInt32.self)
      }
      count = rows.count * IndexTable.entrySize
    }
    rows = []
  }
}
