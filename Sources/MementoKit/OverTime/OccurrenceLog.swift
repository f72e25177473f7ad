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
  private struct Pair: Sendable {
    let path: BytePath
    let old: SizedContent?
    let new: SizedContent?
  }

  /// So many entries are looked at first. After that it is as many as have `mostPairs` changes: a block of the store has
  /// versions of all times, and is unpacked again for each look that needs one of them.
  private static let firstEntries = 16
  private static let mostPairs = 1 << 16
  /// So many entries are compared at once.
  private static let compared = 128

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
    let walk = TreePairWalk(
      RecentTrees(over: repository.store), paths: options.paths, pathspecs: options.pathspecs
    ) { [monitor] in monitor.isCancelled }
    var problems = SearchProblems(repository)
    var found: [LogEntry] = []
    let limit = options.limit ?? .max
    var start = 0
    while start < all.count, found.count < limit {
      let most = start == 0 ? OccurrenceLog.firstEntries : all.count
      var pairs: [[Pair]] = []
      var count = 0
      var end = start
      while end < all.count, end - start < most, count < OccurrenceLog.mostPairs {
        let next = all[end..<min(end + OccurrenceLog.compared, start + most, all.count)]
        for (entry, finding) in zip(next, try differences(of: next, walk)) {
          pairs.append(OccurrenceLog.withoutMoves(finding.items))
          count += finding.items.count
          try problems.add(finding.damage, of: entry)
        }
        end = next.endIndex
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
    }
    return LogReport(entries: found, problems: problems.all)
  }

  /// The files of which the content differs in each entry.
  private func differences(
    of entries: ArraySlice<LogEntry>, _ walk: TreePairWalk
  ) throws(RepositoryError) -> [TreePairFinding<Pair>] {
    let trees = try entries.map { (entry) throws(RepositoryError) in
      (
        old: try repository.tree(before: entry),
        new: try repository.record(of: entry.snapshot.id.object)?.record.tree
      )
    }
    return try translating { () throws(StoreError) in
      try walk.run(trees) { path, old, new in
        let pair = Pair(path: path, old: old?.sizedContent, new: new?.sizedContent)
        return pair.old == pair.new ? nil : pair
      }
    }
  }

  /// Leaves out both ends of each file that was moved: it has not changed.
  private static func withoutMoves(_ all: [Pair]) -> [Pair] {
    var removed: [FileContent: Int] = [:]
    for pair in all where pair.new == nil {
      if let old = pair.old { removed[old.content, default: 0] += 1 }
    }
    var moved: [FileContent: Int] = [:]
    let pairs = all.filter { pair in
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
