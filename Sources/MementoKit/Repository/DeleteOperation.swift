// Takes names away; what they meant stays until gc.

internal import MementoStore
internal import MementoSystem

struct DeleteOperation {
  let repository: Repository

  func run(_ names: [String], isDryRun: Bool) throws(RepositoryError) -> [DeletedState] {
    var unique: [String] = []
    for name in names where !unique.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { unique.append(name) }
    if isDryRun { return try find(unique, in: try repository.readRefs()) }
    let lock = try repository.lockForSaving()
    let deleted = try repository.updateRefs { (refs) throws(RepositoryError) in
      let deleted = try find(unique, in: refs)
      for state in deleted { refs[state.name] = nil }
      return deleted
    }
    let now = Clock.now()
    for state in deleted {
      repository.journal("delete", snapshot: state.snapshot.object, name: state.name, at: now)
    }
    _ = consume lock
    return deleted
  }

  /// All names are looked up before any is removed.
  private func find(_ names: [String], in refs: Refs) throws(RepositoryError) -> [DeletedState] {
    var result: [DeletedState] = []
    for name in names {
      guard let id = refs[name] else {
        throw RepositoryError(
          .noSuchState, "there is no state \"\(name)\"; nothing was deleted", advice: "`memento list` shows the states")
      }
      result.append(DeletedState(name: name, snapshot: SnapshotID(id)))
    }
    return result
  }
}
