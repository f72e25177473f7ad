// Gathers packs for one new table. The tables of contents of many packs do not fit into memory. So after some rows, the
// builder writes them as a sorted table into a file without a name, and reads them from there.

internal import MementoSystem

struct IndexTableBuilder {
  /// When more than this many rows are in memory, they are written to a file.
  static let rowsInMemory = 1 << 18

  /// Where the temporary tables are written. Nil: everything stays in memory.
  private let folder: StoreFolder?
  private let rowsInMemory: Int
  private var merge = IndexMerge()
  private var packs: [PackContents] = []
  private var rowCount = 0

  init(in folder: StoreFolder?, rowsInMemory: Int = IndexTableBuilder.rowsInMemory) {
    self.folder = folder
    self.rowsInMemory = rowsInMemory
  }

  /// Adds the rows of a pack.
  mutating func add(_ pack: PackContents) {
    packs.append(pack)
    rowCount += pack.contents.blobs.count
    // A single pack is in memory anyway.
    if rowCount > rowsInMemory, packs.count > 1 { putAside() }
  }

  private mutating func putAside() {
    var run = IndexMerge()
    for pack in packs { run.add(pack) }
    // If no table can be made, the packs stay in memory: no row is lost.
    guard let table = try? IndexFiles.temporaryTable(run, in: folder) else { return }
    merge.add(table)
    packs = []
    rowCount = 0
  }

  /// Returns everything that was added, ready to be merged.
  consuming func finish() -> IndexMerge {
    for pack in packs { merge.add(pack) }
    return merge
  }
}
