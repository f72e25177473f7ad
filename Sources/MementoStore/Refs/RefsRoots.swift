// All snapshots that `refs` name, for whoever has looked at most of them before.

internal import MementoSystem

extension RefsFile {
  /// The lists that `refs` name. A list never changes, so whoever knows all of it need not read it again.
  package func lists(of refs: Refs) -> Set<ObjectID> {
    Set([refs.states.file].compactMap(\.self) + refs.trash.files)
  }

  /// The snapshots that names, steps and a pending restore keep, and those in the trash. Those in the lists `known` may
  /// be left out. Throws when another list cannot be read.
  package func snapshots(
    of refs: Refs, besides known: Set<ObjectID>
  ) throws(StoreError) -> (kept: Set<ObjectID>, trash: Set<ObjectID>) {
    var kept = Set(refs.timelines.flatMap { $0.steps.map(\.snapshot) })
    for pending in refs.allPending {
      kept.insert(pending.target)
      if let before = pending.before { kept.insert(before) }
    }
    if let file = refs.states.file, known.contains(file) {
      for change in refs.states.changes {
        if let id = change.snapshot { kept.insert(id) }
      }
    } else {
      for state in refs.states { kept.insert(state.snapshot) }
    }
    let lists = refs.trash.lists.filter { !known.contains($0.file) }
    let trash = try trashFiles.entries(of: refs.trash.with(lists: lists, recent: refs.trash.recentEntries))
    return (kept, Set(trash.map(\.snapshot)))
  }
}
