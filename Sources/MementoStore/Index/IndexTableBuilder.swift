// Gathers packs for one new table. The tables of contents of many packs do not fit into memory: after some rows
// these are sorted into a table of their own, in a file without a name, and read from there.

internal import MementoSystem

struct IndexTableBuilder {
  /// Rows of packs that are held in memory.
  static let rowsInMemory = 1 << 18

  /// Where tables go that are needed for a moment; nil: all of it stays in memory.
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
    // A single pack is in memory in any case.
    if rowCount > rowsInMemory, packs.count > 1 { putAside() }
  }

  private mutating func putAside() {
    var run = IndexMerge()
    for pack in packs { run.add(pack) }
    // Where no table can be made, the packs stay in memory: no row is left out.
    guard let table = try? IndexFiles.temporaryTable(run, in: folder) else { return }
    merge.add(table)
    packs = []
    rowCount = 0
  }

  /// What was added, ready to be merged.
  consuming func finish() -> IndexMerge {
    for pack in packs { merge.add(pack) }
    return merge
  }
}
