// Deletes names of a remote by a policy, all in one record.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoSystem

struct RemotePruning {
  let repository: Repository
  let access: RemoteAccess
  let monitor: any Monitor

  func run(_ remote: String?, _ options: PruneOptions) throws(RepositoryError) -> RemotePruneSummary {
    let name = try RemoteList(repository: repository).chosen(remote)
    return try repository.reaching(name, .collectingGarbage, access, monitor) { (view) throws(RepositoryError) in
      try prune(view, options)
    }
  }

  private func prune(_ view: RemoteView, _ options: PruneOptions) throws(RepositoryError) -> RemotePruneSummary {
    let shown = try chosen(view, options)
    // How old a state is stands beside its name, so no pack is read for it.
    let plan = try PrunePlan(options, repository.dates).summary(
      of: shown.map { state in
        PrunePlan.Candidate(
          name: state.text, snapshot: SnapshotID(state.snapshot), time: SnapshotTime(state.value.note.time),
          isValue: state.value.note.isValue)
      })
    var summary = RemotePruneSummary(remote: view.name, states: plan)
    if !plan.removed.isEmpty {
      let removed = Set(plan.removed.map { Array($0.name.utf8) })
      let change = TableChange(deletingOnly: shown.filter { removed.contains(Array($0.text.utf8)) })
      // Before anything is deleted: whoever stops it here has changed nothing.
      do throws(RepositoryError) {
        try measure(after: change, view, &summary)
      } catch {
        // The names of a damaged remote can be deleted all the same.
        guard error.isDamage || error.code == .remoteFailed else { throw error }
        summary.problem = error.message
      }
      if !options.isDryRun {
        try view.commit(change, from: access.host)
      }
    }
    if !options.isDryRun { summary.states = plan.committed() }
    try view.remember()
    return summary.naming(view.name)
  }

  private func chosen(_ view: RemoteView, _ options: PruneOptions) throws(RepositoryError) -> [ShownName] {
    let shown = Array(ShownNames(view.table))
    guard let patterns = options.names else { return shown }
    for text in patterns where !shown.contains(where: { RemotePruning.matches($0, text) }) {
      throw RepositoryError(
        .noSuchState, "the remote \(view.name) has no state \"\(text)\"", reason: .unknownState,
        revision: Revision("\(view.name)/\(text)"))
    }
    return shown.filter { name in patterns.contains { RemotePruning.matches(name, $0) } }
  }

  private static func matches(_ name: ShownName, _ pattern: String) -> Bool {
    name.text == pattern || NamePattern(pattern).matches(name.text)
  }

  /// What a collection gives back after a change.
  private func measure(
    after change: TableChange, _ view: RemoteView, _ summary: inout RemotePruneSummary
  ) throws(RepositoryError) {
    let look = try RemoteLook(view)
    let needs = try look.needs(of: look.look.refs.table.after(removalsOf: change), monitor: monitor)
    var unneeded = RemotePackCount()
    var sparse = RemotePackCount()
    for (pack, object) in look.look.packs {
      if !needs.packs.contains(pack) {
        unneeded.packs += 1
        unneeded.bytes += object.size
      } else if let kept = needs.sparse[pack] {
        sparse.packs += 1
        sparse.bytes += object.size - min(kept, object.size)
      }
    }
    summary.unneeded = unneeded
    summary.sparse = sparse
  }
}

extension RemotePruneSummary {
  /// With the states as they are called here: `REMOTE/NAME`.
  fileprivate func naming(_ remote: String) -> RemotePruneSummary {
    var result = self
    for index in states.kept.indices { result.states.kept[index].name = "\(remote)/\(states.kept[index].name)" }
    for index in states.removed.indices {
      result.states.removed[index].name = "\(remote)/\(states.removed[index].name)"
    }
    return result
  }
}
