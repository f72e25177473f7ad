// Finds in which states a name occurs. Each state is compared with the one before it in the list, so a long history costs
// little more than its changes.

internal import MementoStore

/// States in a row in which a path was the same.
public struct FoundRun: Sendable {
  /// The newest of them.
  public var newest: LogEntry
  /// The oldest of them.
  public var oldest: LogEntry
  /// How many states there are from the newest to the oldest.
  public var states: Int
  /// What the path was. Folders count as the same, whatever is in them, and so do files with another time or mode.
  public var entry: FileEntry
}

/// A path that matches, and where it occurs.
public struct FoundPath: Sendable {
  /// Relative to the folder.
  public var path: BytePath
  /// Newest first.
  public var runs: [FoundRun]
}

/// What `find` has found.
public struct FindReport: Sendable {
  /// Sorted by path.
  public var paths: [FoundPath]
  /// How many states were looked at.
  public var states: Int
  /// What could not be read.
  public var problems: [Problem]
}

struct FindOperation {
  let repository: Repository
  let monitor: any Monitor

  func run(_ pattern: [UInt8]) throws(RepositoryError) -> FindReport {
    guard let pattern = PathPattern(pattern) else {
      throw RepositoryError(.invalidArgument, "the pattern can match nothing")
    }
    monitor.begin(.measuring)
    let states = try KnownStates(repository: repository).all(isUnique: true).filter { $0.snapshot.kind == .tree }
    var walk = TreeWalk(repository.store, paths: []) { [monitor] in monitor.isCancelled }
    var problems = SearchProblems(repository)
    var open: [BytePath: (since: Int, entry: TreeEntry)] = [:]
    var found: [BytePath: [FoundRun]] = [:]
    func close(_ path: BytePath, before index: Int) {
      guard let (since, entry) = open.removeValue(forKey: path) else { return }
      found[path, default: []].append(
        FoundRun(newest: states[since], oldest: states[index - 1], states: index - since, entry: FileEntry(entry)))
    }
    var last: ObjectID?
    for (index, state) in states.enumerated() {
      let known = walk.damage.count
      let tree = try repository.record(of: state.snapshot.id.object)?.record.tree
      try translating { () throws(StoreError) in
        try walk.walk(from: last, to: tree) { (path, old, new) throws(StoreError) in
          if let old, let new, FindOperation.areSame(old, new) { return }
          if let old, pattern.matches(path, isFolder: old.isDirectory) { close(path, before: index) }
          if let new, pattern.matches(path, isFolder: new.isDirectory) { open[path] = (index, new) }
        }
      }
      try problems.add(walk, from: known, of: state)
      last = tree
      monitor.advance(files: 1, bytes: 0)
    }
    for path in Array(open.keys) { close(path, before: states.count) }
    return FindReport(
      paths: found.map { FoundPath(path: $0.key, runs: $0.value) }.sorted { $0.path < $1.path }, states: states.count,
      problems: problems.all)
  }

  private static func areSame(_ old: TreeEntry, _ new: TreeEntry) -> Bool {
    if old.isDirectory, new.isDirectory { return true }
    return old.content == new.content
  }
}

extension Repository {
  /// In which states a name occurs: all that `log` knows with `showsAll`. The pattern has the wildcards of gitignore.
  /// Without a slash it matches a name at any depth, with one a whole path; with one at the end, only folders. Values have
  /// no names. Throws `.invalidArgument` for a pattern that can match nothing.
  public func find(_ pattern: [UInt8], monitor: any Monitor = SilentMonitor()) throws(RepositoryError) -> FindReport {
    try FindOperation(repository: self, monitor: monitor).run(pattern)
  }
}
