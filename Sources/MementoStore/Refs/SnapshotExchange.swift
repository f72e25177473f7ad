// Puts new snapshots in the place of old ones wherever `refs` and their lists name them: for an operation that rewrites
// what was saved. Nothing loses its name or its step by that, so nothing goes to the trash.

package import MementoSystem

/// New snapshots for old ones.
package struct SnapshotExchange: Sendable {
  /// The new snapshot for each that is replaced.
  package var snapshots: [ObjectID: ObjectID]
  /// Paths that no snapshot has any longer. Steps do not name them either.
  package var removed: PathFilter

  package init(_ snapshots: [ObjectID: ObjectID], removing removed: PathFilter) {
    self.snapshots = snapshots
    self.removed = removed
  }
}

extension RefsFile {
  /// Exchanges snapshots in one commit. The new ones are in packs. On a full disk, or when a list of the trash cannot be
  /// read, this throws, and nothing has changed.
  package func exchange(
    _ change: SnapshotExchange, holding lock: borrowing StoreLock<RemovesPacks>, waiting wait: LockWait
  ) throws(StoreError) {
    try storage.exclusively(waiting: wait) { (turn: borrowing RefsTurn) throws(StoreError) in
      while true {
        let (old, version) = try readVersion()
        let exchanged = try exchange(change, in: old)
        var refs = exchanged
        // Compared with itself: nothing has lost a name or a step.
        if try commit(&refs, from: exchanged, version, holding: turn) { return }
      }
    }
  }

  private func exchange(_ change: SnapshotExchange, in old: Refs) throws(StoreError) -> Refs {
    var refs = old
    refs.forEachTimeline { $0.exchange(change) }
    refs.notes.exchange(change.snapshots)
    refs.states.set(
      old.states.compactMap { state in change.snapshots[state.snapshot].map { (name: state.name, snapshot: $0) } })
    refs.states = try folded(refs.states)
    let entries = try trash(old)
    let exchanged = entries.map { entry in
      var entry = entry
      entry.snapshot = change.snapshots[entry.snapshot] ?? entry.snapshot
      return entry
    }
    if exchanged != entries {
      refs.trash = try onFolder("write", "trash/") { () throws(Errno) in
        try trashFiles.replace(old.trash, with: exchanged)
      }
    }
    return refs
  }

  /// The same states in a list without changes: the old list still says what its names meant.
  private func folded(_ states: StateTable) throws(StoreError) -> StateTable {
    if states.changes.isEmpty { return states }
    let list: StateList
    do throws(FormatError) { list = try states.folded() } catch { throw .damaged(file: "refs", reason: error.reason) }
    if list.count <= StateTable.longestChanges { return StateTable(list, file: nil) }
    return StateTable(list, file: try onFile("write", "states/") { () throws(Errno) in try lists.write(list) })
  }

  // MARK: What is left of earlier ones

  /// Writes `refs` once more, so that `refs.prev` are the same, and removes all lists and copies that they do not name.
  /// Then no file of the store says what earlier `refs` said. Throws when something of that cannot be removed; the store
  /// is whole then, too.
  package func forgetEarlier(
    holding lock: borrowing StoreLock<RemovesPacks>, waiting wait: LockWait
  ) throws(StoreError) {
    try storage.exclusively(waiting: wait) { (turn: borrowing RefsTurn) throws(StoreError) in
      while true {
        let (old, version) = try readVersion()
        let before = try contents(of: StoreFolder.refsName)
        var refs = old
        guard try commit(&refs, from: old, version, holding: turn) else { continue }
        // Elsewhere there are neither second copies nor earlier refs.
        if storage is LocalRefs { try removeEarlier(than: refs, before) }
        return
      }
    }
  }

  /// `before`: the bytes of the `refs` before these, which name the same.
  private func removeEarlier(than refs: Refs, _ before: [UInt8]?) throws(StoreError) {
    // Both are written as far as they can be: what could not be written is older.
    if let previous = try contents(of: StoreFolder.previousRefsName), previous != before {
      try onFile("remove", "refs.prev") { () throws(Errno) in try folder.removeFile(StoreFolder.previousRefsName) }
    }
    if let copy = try StoreBackup(folder).refs(), copy != encode(refs) {
      try folder.remove(from: StoreFolder.backupName) { $0 == StoreFolder.refsName }
    }
    let named = Set([refs.states.file].compactMap(\.self) + refs.trash.files)
    for name in [StoreFolder.statesName, StoreFolder.trashName, StoreFolder.backupName] {
      try folder.remove(from: name) { name in ObjectID(name).map { !named.contains($0) } ?? false }
    }
  }
}
