// What all packs hold according to their own tables of contents. A check uses this view, since it trusts no index
// table.

internal import MementoSystem

package struct PackView {
  private var builder = IndexTableBuilder(in: nil)
  private var table: IndexTable?
  /// For each pack, how many blobs it has and how many bytes its file has.
  private var packs: [ObjectID: (blobs: Int, size: UInt64)] = [:]

  package init() {}

  /// Adds a pack.
  package mutating func add(_ pack: PackContents) {
    builder.add(pack)
    packs[pack.id] = (pack.contents.blobs.count, pack.size)
  }

  /// Ends adding packs; only then does the view answer. Throws when the rows of the packs cannot be read: without them
  /// the view would call every blob missing.
  package mutating func seal() throws(StoreError) {
    let gathered = builder
    builder = IndexTableBuilder(in: nil)
    do throws(IndexMerge.MergeError) {
      table = try gathered.finish().inMemory()
    } catch {
      throw error.storeError
    }
  }

  /// Whether some pack holds a blob of this length, in bytes.
  package func presence(of id: ObjectID, length: UInt64) -> BlobPresence {
    var result = BlobPresence.missing
    // An error cannot happen: the table is in memory.
    try? table?.find(id) { _, entry in
      if UInt64(entry.length) == length {
        result = .there
      } else if result == .missing {
        result = .otherLength
      }
    }
    return result
  }

  /// In how many rows an index table differs from the packs: rows that no pack confirms, and blobs that the table
  /// leaves out. Rows of packs that are not in the view do not count. Throws when the table cannot be read.
  func differences(from other: IndexTable) throws(StoreError) -> Int {
    var wrong = 0
    var found = [Int](repeating: 0, count: other.packs.count)
    for pack in other.packs {
      if let known = packs[pack.id], known.size != pack.size { wrong += 1 }
    }
    try other.forEachEntry { (entry) throws(StoreError) in
      guard let block = try other.block(Int(entry.block)) else {
        wrong += 1
        return
      }
      let pack = other.packs[Int(block.pack)].id
      guard packs[pack] != nil else { return }
      if holds(entry, block.record, in: pack) { found[Int(block.pack)] += 1 } else { wrong += 1 }
    }
    for (index, pack) in other.packs.enumerated() {
      if let known = packs[pack.id], found[index] < known.blobs { wrong += known.blobs - found[index] }
    }
    return wrong
  }

  private func holds(_ row: IndexTable.Entry, _ block: BlockRecord, in pack: ObjectID) -> Bool {
    guard let table else { return false }
    var isThere = false
    // An error cannot happen: see `presence`.
    try? table.find(row.id) { own, entry in
      if entry.offset == row.offset, entry.length == row.length, table.packs[Int(own.pack)].id == pack,
        own.record.isSameBlock(as: block)
      {
        isThere = true
      }
    }
    return isThere
  }
}

/// An index table that differs from the packs.
package struct IndexDifference: Sendable {
  /// The name of its file in `index/`. Empty for a table that is in memory only.
  package let table: String
  /// How many rows are wrong or missing. Nil when the table cannot be read.
  package let rows: Int?
}
