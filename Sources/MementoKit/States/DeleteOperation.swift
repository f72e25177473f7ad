// Deletes names. Their snapshots stay until gc removes them.

internal import MementoStore
internal import MementoSystem

struct DeleteOperation {
  let repository: Repository

  func run(_ names: [String], isDryRun: Bool) throws(RepositoryError) -> [DeletedState] {
    var seen: Set<[UInt8]> = []
    let unique = names.filter { seen.insert(Array($0.utf8)).inserted }
    if isDryRun { return try find(unique, in: try repository.readRefs()) }
    let lock = try repository.lockForNaming()
    let deleted = try repository.updateRefs(holding: lock) { (refs) throws(RepositoryError) in
      let deleted = try find(unique, in: refs)
      refs.states.set(deleted.map { ($0.name, nil) })
      return deleted
    }
    var line = repository.journalEntry("delete", snapshot: nil, name: nil, at: Clock.now())
    repository.journal(
      deleted.map { state in
        line.snapshot = state.snapshot.object
        line.name = state.name
        return line
      })
    return deleted
  }

  /// Looks up all names before any is removed. Throws `.noSuchState` for the first that does not exist.
  private func find(_ names: [String], in refs: Refs) throws(RepositoryError) -> [DeletedState] {
    var result: [DeletedState] = []
    for name in names {
      guard let id = refs[name] else {
        throw .unknownState(name, in: refs, "; nothing was deleted")
      }
      result.append(DeletedState(name: name, snapshot: SnapshotID(id)))
    }
    return result
  }
}
