// What changed in the folder since the position: a walk that stores nothing, and a comparison of two trees. Takes no lock and
// writes nothing.

internal import MementoStore
internal import MementoSystem

struct FolderStatus {
  let repository: Repository
  var options = StatusOptions()
  let monitor: any Monitor

  func run() throws(RepositoryError) -> StatusSummary {
    let refs = try repository.readRefs()
    let at = try repository.record(of: refs.timeline.current?.snapshot)
    monitor.begin(.saving)
    let walk = try FolderWalk(repository, monitor: monitor, storing: false, rules: repository.rules(options.ignoring))
    let now = try walk.run()
    var listing = ChangeListing()
    var lookup = IgnoreLookup(root: repository.root, filter: walk.rules.filter)
    try translating { () throws(StoreError) in
      try TreeDiff(old: repository.store, new: walk.source).walk(from: at?.record.tree, to: now.tree, label: 0) {
        (directory, old, new) throws(StoreError) in
        // What a rule has taken out since is there still, or none of our business.
        if new == nil, let old, lookup.hides(listing.path(of: old.name, in: directory), isFolder: old.isDirectory) {
          return nil
        }
        return listing.add(directory, old, new)
      }
    }
    return StatusSummary(
      at: at.map { Snapshot($0.id, $0.record) },
      names: refs.states.filter { $0.snapshot == at?.id }.map(\.name),
      changes: listing.changes.sorted { $0.path < $1.path }, problems: now.problems,
      isRestorePending: refs.pending != nil)
  }
}

/// Turns the differences of two trees into changes by path.
struct ChangeListing {
  private(set) var changes: [Change] = []
  private var paths: [BytePath] = [BytePath("")]

  /// The path of a name in a directory that `add` has given a label.
  func path(of name: [UInt8], in directory: Int) -> BytePath { paths[directory].appending(name) }

  /// Enters one difference; returns the label of the directory to go into.
  mutating func add(_ directory: Int, _ old: TreeEntry?, _ new: TreeEntry?) -> Int? {
    guard let name = (new ?? old)?.name else { return nil }
    let path = paths[directory].appending(name)
    let isFolder = old?.isDirectory == true || new?.isDirectory == true
    if let kind = ChangeListing.kind(old, new) { changes.append(Change(path: path, kind: kind)) }
    if !isFolder { return nil }
    paths.append(path)
    return paths.count - 1
  }

  /// A folder is listed for itself only when there is nothing in it to speak for it, or its metadata changed.
  private static func kind(_ old: TreeEntry?, _ new: TreeEntry?) -> ChangeKind? {
    guard let old else { return new?.isDirectory == true ? nil : .added }
    guard let new else { return old.isDirectory ? nil : .removed }
    if old.content.kind != new.content.kind { return .type }
    if old.isDirectory {
      // Whatever happens in a folder moves its time: that alone is no news.
      var before = old.metadata
      before.modified = new.metadata.modified
      return before == new.metadata ? nil : .metadata
    }
    return old.content == new.content ? .metadata : .modified
  }
}
