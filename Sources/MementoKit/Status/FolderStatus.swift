// What changed in the folder since the position: a walk that stores nothing, and a comparison of two trees. Takes no lock and
// writes nothing.

internal import MementoStore
internal import MementoSystem

struct FolderStatus {
  let repository: Repository
  let monitor: any Monitor
  /// Only these; all when empty.
  let paths: [BytePath]

  func run() throws(RepositoryError) -> StatusSummary {
    let refs = try repository.readRefs()
    let at = try repository.record(of: refs.timeline.current?.snapshot)
    monitor.begin(.saving)
    let walk = try FolderWalk(repository, monitor: monitor, storing: false)
    let now = try walk.run()
    var changes: [Change] = []
    try ChangedPaths.walk(
      TreeDiff(old: repository.store, new: walk.source), from: at?.record.tree, to: now.tree, paths
    ) { (path, kind, _, _) in changes.append(Change(path: path, kind: kind)) }
    return StatusSummary(
      at: at.map { Snapshot($0.id, $0.record) },
      names: refs.states.filter { $0.snapshot == at?.id }.map(\.name),
      changes: changes.sorted { $0.path < $1.path }, problems: now.problems,
      isRestorePending: refs.pending != nil)
  }
}
