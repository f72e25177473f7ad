// Keeps the index up to date with the packs: with those that others have added or removed, with those that a save adds,
// or with all of them at once.

internal import MementoSystem
internal import Synchronization

extension Index {
  /// Prepares for a save: finds packs that other processes have added, and forgets which packs were seen in full size.
  /// A pack that was removed meanwhile is noticed when a blob in it is asked for.
  func prepareForWriting() throws(StoreError) {
    confirmed.forgetUnread()
    badBlocks.load()
    if directory.forgetIntact() { try reconcile(again: true) }
  }

  /// When a pack was last added or removed. Nil when that cannot be determined, which counts as a change.
  func packsModified() -> Timestamp? {
    directory.modified()
  }

  /// Compares the index with the packs that are there, if they may have changed since the last time, or if `again` is
  /// true. Reads the tables of contents of new packs and forgets packs that are gone. Returns false when there was
  /// nothing to compare. Throws when the packs cannot be listed.
  @discardableResult
  package func reconcile(again: Bool = false) throws(StoreError) -> Bool {
    guard let changes = try directory.changes(again: again) else { return false }
    let (merge, problems, unread) = read(changes.new)
    // The table gets no file in index/: only a save writes one, since commands that only read change nothing.
    let table = merge.packs.isEmpty ? nil : try temporaryTable(merge)
    state.withLock { state in
      if let table { adopt(table, &state) }
      // The next lookup tries again to read what could not be read now.
      if directory.accept(changes, isWhole: unread == nil) { state.isRecovered = false }
      state.unreadPack = unread
      state.problems = problems
    }
    return true
  }

  /// Reads the tables of contents of all packs again and builds the tables from them. To be called when a row has
  /// proved wrong: rows have no checksum. Returns false when this was done before, since the packs were last listed.
  func recover() throws(StoreError) -> Bool {
    let packs = try presentPacks().sorted()
    let isFirst = state.withLock { state in
      defer { state.isRecovered = true }
      return !state.isRecovered
    }
    guard isFirst else { return false }
    let (merge, problems, unread) = read(packs)
    // For a pack that cannot be read, the old rows are all that is known: keep all old tables.
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

  /// Reads the tables of contents of packs. `problems`: why some could not be read. `unread`: the last of these errors
  /// after which the pack may still be good.
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

  /// Makes a table of packs that were read. No other process sees it.
  private func temporaryTable(_ merge: IndexMerge) throws(StoreError) -> IndexTable {
    do throws(IndexMerge.MergeError) { return try files.temporaryTable(merge) } catch { throw error.storeError }
  }

  /// Makes a table of packs that were read, and writes it into index/.
  private func makeTable(_ merge: IndexMerge) throws(StoreError) -> IndexTable {
    do throws(IndexMerge.MergeError) { return try files.makeTable(merge) } catch { throw error.storeError }
  }

  /// Stops using all tables. The numbers of their packs stay valid, since another thread may be reading by them.
  private func leaveTables(_ state: inout State) {
    directory.retire(state.tables.map(\.firstPack))
    state.tables = []
  }

  /// Adds finished packs to the index. Merges small tables, so that there are never many. A table that cannot be
  /// written is kept in memory, and the next command builds it again. `since`: when `packs/` had last changed before
  /// these packs came. `replacing`: packs that are going to be removed, because these hold all that they hold.
  func add(_ packs: [PackContents], since: Timestamp?, replacing: Set<ObjectID> = []) {
    directory.noteOwnChange(since: since)
    if !replacing.isEmpty { directory.giveUp(replacing.subtracting(packs.map(\.id))) }
    let tables = state.withLock { $0.tables }
    let gone = directory.gone
    var merged: [Numbered] = []
    var total = packs.reduce(0) { $0 + $1.contents.blobs.count }
    for numbered in tables.sorted(by: { $0.table.count < $1.table.count }) {
      // Each table that stays is more than four times as large as all smaller ones together, so a row is rewritten only
      // a logarithmic number of times.
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

  /// Makes one table from packs and tables. A table that cannot be read stays as it is and is removed from `tables`.
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
        // Packs are in memory, so the source that cannot be read is a table.
        guard case .unreadable(let source, _) = error, source >= firstTable else { tables = []; continue }
        tables.remove(at: source - firstTable)
      }
    }
  }

  /// Builds one table for all packs that are there and uses no other. Throws when a pack cannot be read.
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
