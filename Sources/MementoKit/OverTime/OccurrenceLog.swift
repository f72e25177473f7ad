// The entries of the history that changed how often a text occurs, as `git log -S` lists them, and what an entry changed.

internal import MementoStore

/// Entries of the history, and what could not be read.
public struct LogReport: Sendable {
  /// Newest first.
  public var entries: [LogEntry]
  /// What could not be read; an entry that it concerns may be missing.
  public var problems: [Problem]
}

struct OccurrenceLog {
  private struct Pair {
    let path: BytePath
    let old: SizedContent?
    let new: SizedContent?
  }

  private static let entries = 256

  let repository: Repository
  let text: [UInt8]
  let monitor: any Monitor

  func run(_ options: LogOptions) throws(RepositoryError) -> LogReport {
    if text.isEmpty { throw RepositoryError(.invalidArgument, "there is no text to search for") }
    monitor.begin(.measuring)
    var every = options
    every.limit = nil
    let all = try repository.log(every).filter { $0.snapshot.kind == .tree }
    let search = ContentSearch(repository.store, SearchPattern(bytes: text), .occurrences) { [monitor] in
      monitor.isCancelled
    }
    var walk = TreeWalk(repository.store, paths: options.paths, pathspecs: options.pathspecs) { [monitor] in
      monitor.isCancelled
    }
    var problems = SearchProblems(repository)
    var found: [LogEntry] = []
    let limit = options.limit ?? .max
    var start = 0
    var step = 16
    while start < all.count, found.count < limit {
      let end = min(start + step, all.count)
      var pairs: [[Pair]] = []
      for entry in all[start..<end] {
        let damage = walk.damage.count
        pairs.append(try changes(of: entry, &walk))
        try problems.add(walk, from: damage, of: entry)
      }
      let contents = pairs.joined().flatMap { [$0.old, $0.new].compactMap { $0 } }
      let results = try translating { () throws(StoreError) in try search.run(contents) }
      for (entry, pairs) in zip(all[start..<end], pairs) where found.count < limit {
        var isChanged = false
        for pair in pairs {
          for content in [pair.old, pair.new] {
            guard let failure = content.flatMap({ results[$0.content]?.failure }) else { continue }
            try problems.add(failure, at: pair.path, of: entry)
          }
          let counts = [pair.old, pair.new].map { $0.flatMap { results[$0.content]?.count } ?? 0 }
          isChanged = isChanged || counts[0] != counts[1]
        }
        if isChanged { found.append(entry) }
      }
      start = end
      step = min(step * 2, OccurrenceLog.entries)
    }
    return LogReport(entries: found, problems: problems.all)
  }

  /// The files of which the content differs. A file that was moved is none.
  private func changes(of entry: LogEntry, _ walk: inout TreeWalk) throws(RepositoryError) -> [Pair] {
    let new = try repository.record(of: entry.snapshot.id.object)?.record.tree
    var pairs: [Pair] = []
    var removed: [FileContent: Int] = [:]
    let old = try repository.tree(before: entry)
    try translating { () throws(StoreError) in
      try walk.walk(from: old, to: new) { (path, old, new) throws(StoreError) in
        let pair = Pair(path: path, old: old?.sizedContent, new: new?.sizedContent)
        if pair.old == pair.new { return }
        if pair.new == nil, let old = pair.old { removed[old.content, default: 0] += 1 }
        pairs.append(pair)
      }
    }
    var moved: [FileContent: Int] = [:]
    pairs = pairs.filter { pair in
      guard pair.old == nil, let new = pair.new?.content, let left = removed[new], left > 0 else { return true }
      removed[new] = left - 1
      moved[new, default: 0] += 1
      return false
    }
    return pairs.filter { pair in
      guard pair.new == nil, let old = pair.old?.content, let left = moved[old], left > 0 else { return true }
      moved[old] = left - 1
      return false
    }
  }
}

extension Repository {
  /// The tree of the state before an entry; nil when there was none, or gc has dropped it.
  func tree(before entry: LogEntry) throws(RepositoryError) -> ObjectID? {
    guard let before = entry.before?.object, try isStored(before) else { return nil }
    return try record(of: before)?.record.tree
  }

  /// The entries of `log` that changed how often a text occurs in a file: where it came, went, or came again. Values are
  /// not among them. A file that was only moved has not changed.
  public func log(
    _ options: LogOptions, changing text: [UInt8], monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> LogReport {
    try OccurrenceLog(repository: self, text: text, monitor: monitor).run(options)
  }

  /// What an entry of the history changed. Nil when the state before it is gone, and for a value that has replaced nothing.
  public func changes(
    of entry: LogEntry, paths: [BytePath] = [], pathspecs: [Pathspec] = [],
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> Comparison? {
    try withoutWaiting { () throws(RepositoryError) in
      let refs = try readRefs()
      guard let snapshot = try record(of: entry.snapshot.id.object) else { return nil }
      let operation = CompareOperation(repository: self, monitor: monitor)
      guard snapshot.tree != nil else { return try operation.parentComparison(of: snapshot, refs) }
      guard let before = entry.before?.object else {
        return try operation.compare(nil, snapshot, paths, pathspecs, refs)
      }
      guard try isStored(before), let earlier = try record(of: before), earlier.tree != nil else { return nil }
      return try operation.compare(earlier, snapshot, paths, pathspecs, refs)
    }
  }
}
