// Gives a state another name in one commit. Its history comes along, as the log of a branch does in git: what the old
// name meant before is the history of the new name.

internal import MementoStore
internal import MementoSystem

struct RenameOperation {
  let repository: Repository
  /// Deletes the state that has the new name already.
  let force: Bool

  func run(_ old: String, to new: String, isDryRun: Bool) throws(RepositoryError) -> RenamedState {
    try StateName.validate(new)
    if isDryRun { return try plan(old, new, try repository.readRefs()) }
    let lock = try repository.lockForNaming()
    let renamed = try repository.updateRefs(holding: lock) { (refs) throws(RepositoryError) in
      let renamed = try plan(old, new, refs)
      refs[old] = nil
      refs[new] = renamed.snapshot.object
      return renamed
    }
    write(renamed)
    return renamed
  }

  private func plan(_ old: String, _ new: String, _ refs: Refs) throws(RepositoryError) -> RenamedState {
    guard let id = refs[old] else {
      throw .unknownState(old, in: refs, "; nothing was renamed")
    }
    if old.utf8.elementsEqual(new.utf8) {
      throw RepositoryError(.invalidArgument, "the state \"\(old)\" has this name already")
    }
    let replaced = refs[new]
    if let replaced, !force {
      throw RepositoryError(
        .nameInUse, "the name \"\(new)\" is in use (\(replaced.short))", reason: .nameIsTaken)
    }
    if replaced == nil {
      var others = refs
      others[old] = nil
      try repository.checkSpelling(new, in: others)
    }
    return RenamedState(
      oldName: old, newName: new, snapshot: SnapshotID(id), replaced: replaced.map { SnapshotID($0) })
  }

  private func write(_ renamed: RenamedState) {
    let now = Clock.now()
    var lines: [JournalEntry] = []
    if let replaced = renamed.replaced {
      lines.append(
        repository.journalEntry("delete", snapshot: replaced.object, name: renamed.newName, at: now))
    }
    lines.append(
      repository.journalEntry(
        "rename", snapshot: renamed.snapshot.object, name: renamed.newName, formerName: renamed.oldName, at: now))
    repository.journal(lines)
  }
}
