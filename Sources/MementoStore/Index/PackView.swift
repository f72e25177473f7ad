// What all packs hold by their own tables of contents: the view of a check, which believes no index table.

internal import MementoSystem

package struct PackView {
  private var builder = IndexTableBuilder(in: nil)
  private var table: IndexTable?
  /// How many blobs each pack has, and how many bytes.
  private var packs: [ObjectID: (blobs: Int, size: UInt64)] = [:]

  package init() {}

  package mutating func add(_ pack: PackContents) {
    builder.add(pack)
    packs[pack.id] = (pack.contents.blobs.count, pack.size)
  }

  /// All packs have been added. Throws when their rows cannot be read: a view without them would call everything missing.
  package mutating func seal() throws(StoreError) {
    let gathered = builder
    builder = IndexTableBuilder(in: nil)
    do throws(IndexMerge.MergeError) {
      table = try gathered.finish().inMemory()
    } catch {
      throw error.storeError
    }
  }

  package func presence(of id: ObjectID, length: UInt64) -> BlobPresence {
    var result = BlobPresence.missing
    // A table in memory can always be read.
    try? table?.find(id) { _, entry in
      if UInt64(entry.length) == length {
        result = .there
      } else if result == .missing {
        result = .otherLength
      }
    }
    return result
  }

  /// How many rows of an index table are not what the packs say: rows that no pack confirms, and blobs that it leaves out.
  /// What it says of packs that are not in the view counts for nothing.
  func differences(from other: IndexTable) throws(StoreError) -> Int {
    var wrong = 0
    var found = [Int](repeating: 0, count: other.packs.count)
    for pack in other.packs {
      if let known = packs[pack.id], known.size != pack.size { wrong += 1 }
    }
    try other.forEachEntry { entry in
      guard let block = other.block(Int(entry.block)) else {
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
    // As above.
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

/// An index table that does not say what the packs say.
package struct IndexDifference: Sendable {
  /// Its name in `index/`; empty for one that is in memory only.
  package let table: String
  /// How many rows are wrong or missing; nil when they cannot be read.
  package let rows: Int?
}
