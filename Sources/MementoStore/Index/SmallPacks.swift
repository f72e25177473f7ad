// Which packs are small, as the index tables say.

internal import MementoSystem
internal import Synchronization

extension Index {
  /// The bytes of all packs, as far as the index knows them.
  package var packBytes: UInt64 {
    let tables = state.withLock { $0.tables }
    let gone = directory.gone
    var sum: UInt64 = 0
    for numbered in tables {
      for (place, pack) in numbered.table.packs.enumerated() where !gone.contains(numbered.firstPack + UInt32(place)) {
        // A size in a damaged table may be anything.
        sum = sum.addingReportingOverflow(pack.size).overflow ? .max : sum + pack.size
      }
    }
    return sum
  }

  /// A small pack, and the table that lists it.
  struct SmallPack {
    var id: ObjectID
    var size: UInt64
    /// The number of the table, and of its rows.
    var table: Int
    var rows: Int
  }

  /// The packs of fewer bytes, the smallest first. A pack that is in several tables is left out: another save has merged
  /// the same table.
  func smallPacks(below limit: UInt64) -> [SmallPack] {
    let tables = state.withLock { $0.tables }
    let gone = directory.gone
    var result: [SmallPack] = []
    for (number, numbered) in tables.enumerated() {
      for (place, pack) in numbered.table.packs.enumerated() where pack.size < limit {
        if gone.contains(numbered.firstPack + UInt32(place)) { continue }
        result.append(SmallPack(id: pack.id, size: pack.size, table: number, rows: numbered.table.count))
      }
    }
    result.sort { ($0.size, $0.id) < ($1.size, $1.id) }
    return result.indices.filter { index in
      (index == 0 || result[index - 1].id != result[index].id)
        && (index + 1 == result.count || result[index + 1].id != result[index].id)
    }.map { result[$0] }
  }
}
