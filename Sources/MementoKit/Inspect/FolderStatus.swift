// Lists what changed in the folder since its position on the timeline. A walk reads the folder without storing
// anything, and the two trees are compared. Takes no lock and writes nothing.

internal import MementoStore
internal import MementoSystem

struct FolderStatus {
  let repository: Repository
  var options = StatusOptions()
  let monitor: any Monitor

  func run() throws(RepositoryError) -> StatusSummary {
    let refs = try repository.readRefs()
    let at = try repository.record(of: refs.timeline.current?.snapshot)
    monitor.begin(.scanning)
    let walk = try FolderWalk(
      repository, monitor: monitor, storing: false, rules: try repository.rules(options.ignoring),
      telling: at?.record.tree)
    let now = try walk.run()
    var hidden = IgnoredDifferences(root: try repository.root, filter: walk.rules.filter)
    var changes: [Change] = []
    var counts = ChangeCounts()
    try ChangedPaths.walk(
      walk.diff, from: at?.record.tree, to: now.tree, PathSelector(options.paths, options.pathspecs),
      hiding: { hidden.contains($0, $1, $2) }
    ) { (path, kind, old, new) in
      changes.append(Change(path: path, kind: kind))
      counts.add(old, new)
    }
    return StatusSummary(
      at: at.map { Snapshot($0) },
      names: at.map { refs.states.names(of: $0.id) } ?? [],
      changes: changes.sorted { $0.path < $1.path }, counts: counts, problems: hidden.problems(besides: now.problems),
      isRestorePending: refs.pending != nil, interruptedRestore: InterruptedRestore(refs.pending))
  }
}
