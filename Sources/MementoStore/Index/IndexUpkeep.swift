// Keeps the index up with the packs: what others have added or removed, what a save adds, and all of it anew.

internal import MementoSystem
internal import Synchronization

extension Index {
  /// Before a save: learns of packs that others have made since, and forgets which packs were seen whole. A pack that has
  /// gone shows when something in it is asked for.
  func prepareForWriting() throws(StoreError) {
    confirmed.forgetUnread()
    if directory.forgetIntact() { try reconcile(again: true) }
  }

  /// When a pack was last added or removed; nil when that cannot be asked, which counts as a change.
  func packsModified() -> Timestamp? {
    directory.modified()
  }

  /// Compares with the packs that are there, if they may have changed since they were listed last, or if asked `again`:
  /// reads the contents of new ones, forgets those that are gone. False when there was nothing to do. Throws when the packs
  /// cannot be listed.
  @discardableResult
  package func reconcile(again: Bool = false) throws(StoreError) -> Bool {
    guard let changes = try directory.changes(again: again) else { return false }
    let (merge, problems, unread) = read(changes.new)
    // It gets no name: a save does that, and a look changes nothing.
    let table = merge.packs.isEmpty ? nil : try temporaryTable(merge)
    state.withLock { state in
      if let table { adopt(table, &state) }
      // What could not be read is tried again with the next question.
      if directory.accept(changes, isWhole: unread == nil) { state.isRecovered = false }
      state.unreadPack = unread
      state.problems = problems
    }
    return true
  }

  /// Reads all packs again, and goes by what they say: the rows of a table have no checksum, and one of them has led
  /// nowhere. False when that was done before.
  func recover() throws(StoreError) -> Bool {
    let packs = try presentPacks().sorted()
    let isFirst = state.withLock { state in
      defer { state.isRecovered = true }
      return !state.isRecovered
    }
    guard isFirst else { return false }
    let (merge, problems, unread) = read(packs)
    // Of a pack that cannot be read, the old rows are all there is: no table is replaced.
    let isWhole = problems.isEmpty
    let table = isWhole ? try makeTable(merge) : try temporaryTable(merge)
    if isWhole { files.removeAll(replacedBy: table) }
    state.withLock { state in
      state.unreadPack = unread
      if isWhole { leaveTables(&state) }
      adopt(table, &state)
    }
    return true
  }

  /// Reads the tables of contents of packs. `unread`: why one could not be read that may be good.
  private func read(
    _ packs: [ObjectID]
  ) -> (rows: IndexMerge, problems: [StoreError], unread: StoreError?) {
    var builder = files.builder()
    var problems: [StoreError] = []
    var unread: StoreError?
    for id in packs {
      do throws(StoreError) {
        builder.add(try contents(of: id))
      } catch {
        problems.append(error)
        if error.hidesContent { unread = error }
      }
    }
    return (builder.finish(), problems, unread)
  }

  /// A table of packs that were read, for this process alone.
  private func temporaryTable(_ merge: IndexMerge) throws(StoreError) -> IndexTable {
    do throws(IndexMerge.MergeError) { return try files.temporaryTable(merge) } catch { throw error.storeError }
  }

  /// A table of packs that were read.
  private func makeTable(_ merge: IndexMerge) throws(StoreError) -> IndexTable {
    do throws(IndexMerge.MergeError) { return try files.makeTable(merge) } catch { throw error.storeError }
  }

  /// No table is used any more. Somebody may read by the old numbers at this moment.
  private func leaveTables(_ state: inout State) {
    directory.retire(state.tables.map(\.firstPack))
    state.tables = []
  }

  /// Enters finished packs, and merges small tables so that few are ever open. Derived: failures to write are ignored,
  /// the next run builds it again. `since`: when `packs/` had changed last before these came.
  func add(_ packs: [PackContents], since: Timestamp?) {
    directory.noteOwnChange(since: since)
    let tables = state.withLock { $0.tables }
    let gone = directory.gone
    var merged: [Numbered] = []
    var total = packs.reduce(0) { $0 + $1.contents.blobs.count }
    for numbered in tables.sorted(by: { $0.table.count < $1.table.count }) {
      // Each table is at least four times as large as all smaller ones: a row is rewritten a logarithmic number of times.
      let mustGo =
        numbered.table.fileName == nil
        || numbered.table.packs.indices.contains { gone.contains(numbered.firstPack + UInt32($0)) }
      guard mustGo || numbered.table.count <= total * 4 else { continue }
      total += numbered.table.count
      merged.append(numbered)
    }
    let table = merge(packs, &merged, gone)
    files.remove(merged.compactMap(\.table.fileName), replacedBy: table)
    state.withLock { state in
      directory.retire(merged.map(\.firstPack))
      state.tables.removeAll { known in merged.contains { $0.table === known.table } }
      adopt(table, &state)
    }
  }

  /// A table of these packs and tables. A table that cannot be read stays as it is, and is taken out of `tables`.
  private func merge(_ packs: [PackContents], _ tables: inout [Numbered], _ gone: Set<UInt32>) -> IndexTable {
    while true {
      var merge = IndexMerge()
      for pack in packs { merge.add(pack) }
      let firstTable = merge.sourceCount
      for numbered in tables {
        merge.add(numbered.table, keeping: { !gone.contains(numbered.firstPack + UInt32($0)) })
      }
      do throws(IndexMerge.MergeError) {
        return try files.makeTable(merge)
      } catch {
        // Packs are in memory: what cannot be read is a table.
        guard case .unreadable(let source, _) = error, source >= firstTable else { tables = []; continue }
        tables.remove(at: source - firstTable)
      }
    }
  }

  /// Writes one table for all packs that are there, and nothing else.
  package func rebuild() throws(StoreError) {
    var builder = files.builder()
    for id in try presentPacks().sorted() { builder.add(try contents(of: id)) }
    let table = try makeTable(builder.finish())
    files.removeAll(replacedBy: table)
    let modified = packsModified()
    state.withLock { state in
      leaveTables(&state)
      adopt(table, &state)
      directory.restart(listedAt: modified)
      state.isRecovered = false
      state.unreadPack = nil
      state.problems = []
    }
  }
}
