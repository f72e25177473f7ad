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
    let (builder, problems, unread) = read(changes.new)
    let table = builder.packs.isEmpty ? nil : IndexTable(builder)
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
    let (builder, problems, unread) = read(packs)
    // Of a pack that cannot be read, the old rows are all there is: no table is replaced.
    let isWhole = problems.isEmpty
    let table = isWhole ? files.makeTable(replacingAll: builder) : IndexTable(builder)
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
  ) -> (rows: IndexTableBuilder, problems: [StoreError], unread: StoreError?) {
    var builder = IndexTableBuilder()
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
    builder.sort()
    return (builder, problems, unread)
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
    var builder = IndexTableBuilder()
    for pack in packs { builder.add(pack) }
    var total = packs.reduce(0) { $0 + $1.contents.blobs.count }
    let tables = state.withLock { $0.tables }
    let gone = directory.gone
    var merged: [Numbered] = []
    for numbered in tables.sorted(by: { $0.table.count < $1.table.count }) {
      let table = numbered.table
      func isGone(_ pack: Int) -> Bool { gone.contains(numbered.firstPack + UInt32(pack)) }
      // Each table is at least four times as large as all smaller ones: a row is rewritten a logarithmic number of times.
      let mustGo = table.fileName == nil || table.packs.indices.contains { isGone($0) }
      guard mustGo || table.count <= total * 4 else { continue }
      var attempt = builder
      // A table that cannot be read stays as it is.
      guard (try? attempt.add(table, keeping: { !isGone($0) })) != nil else { continue }
      builder = attempt
      total += table.count
      merged.append(numbered)
    }
    builder.sort()
    let table = files.makeTable(builder, replacing: merged.compactMap(\.table.fileName))
    state.withLock { state in
      directory.retire(merged.map(\.firstPack))
      state.tables.removeAll { known in merged.contains { $0.table === known.table } }
      adopt(table, &state)
    }
  }

  /// Writes one table for all packs that are there, and nothing else.
  package func rebuild() throws(StoreError) {
    var builder = IndexTableBuilder()
    for id in try presentPacks().sorted() { builder.add(try contents(of: id)) }
    builder.sort()
    let table = files.makeTable(replacingAll: builder)
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
