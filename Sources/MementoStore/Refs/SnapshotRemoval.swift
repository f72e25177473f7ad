// Removes snapshots from `refs` for good: the commit that takes their names and steps takes them out of the trash, too.

package import MementoSystem

extension RefsFile {
  /// Changes `refs` in one step. Nothing that `change` removes goes to the trash, and the trash keeps nothing of the
  /// snapshots that `change` returns as gone. An error that it throws is returned as the failure: nothing is written
  /// then. Throws on a full disk, and when a list of the trash cannot be read; nothing has changed then, too.
  package func removeForGood<Result, Failure: Error>(
    holding lock: borrowing StoreLock<RemovesPacks>, waiting wait: LockWait,
    _ change: (inout Refs) throws(Failure) -> (result: Result, gone: Set<ObjectID>)
  ) throws(StoreError) -> Swift.Result<Result, Failure> {
    try storage.exclusively(waiting: wait) { (turn: borrowing RefsTurn) throws(StoreError) in
      while true {
        let (old, version) = try readVersion()
        var refs = old
        let result: Result
        let gone: Set<ObjectID>
        do throws(Failure) {
          (result, gone) = try change(&refs)
        } catch {
          return .failure(error)
        }
        refs.notes.removeAll { gone.contains($0) }
        // Compared with these, nothing has lost a name or a step.
        let base = refs
        let entries = try trash(old)
        let kept = entries.filter { !gone.contains($0.snapshot) }
        if kept != entries { refs.trash = try trash(old.trash, with: kept) }
        if try commit(&refs, from: base, version, holding: turn) { return .success(result) }
      }
    }
  }

  private func trash(_ old: Trash, with entries: [TrashEntry]) throws(StoreError) -> Trash {
    try onFolder("write", "trash/") { () throws(Errno) in
      do throws(Errno) {
        return try trashFiles.replace(old, with: entries)
      } catch {
        guard error.isNoSpace else { throw error }
        // The index and the cache give room to those who want to make some.
        folder.dropDerived()
        return try trashFiles.replace(old, with: entries)
      }
    }
  }
}
