// Finds the first and the last state that hold a text, and what came before and after them. The order is that of time: what
// the folder was, step by step, also where an undo has left a branch behind.

internal import MementoStore

/// States in a row that hold a text.
public struct TextPeriod: Sendable {
  /// A file that has the text, and the first line that has it.
  public struct Place: Sendable {
    /// Relative to the folder.
    public var path: BytePath
    /// From 1; nil when the file is not text.
    public var line: Int?
    /// The line without its line break; empty when the file is not text.
    public var text: [UInt8]
  }

  /// The oldest of them: what it changed made the text come.
  public var first: LogEntry
  /// Where it has the text.
  public var firstPlaces: [Place]
  /// The newest of them.
  public var last: LogEntry
  /// Where it has the text.
  public var lastPlaces: [Place]
  /// The state after the last one: what it changed made the text go. Nil when no newer state is known.
  public var gone: LogEntry?
  /// How many states there are from the first to the last.
  public var states: Int
}

/// What `when` has found.
public struct WhenReport: Sendable {
  /// Newest first; more than one when the text went and came back.
  public var periods: [TextPeriod]
  /// How many states were looked at.
  public var states: Int
  /// What could not be read.
  public var problems: [Problem]
}

struct WhenOperation {
  /// What differs in a state from the one after it.
  private struct Difference: Sendable {
    let path: BytePath
    /// What the state has at the path.
    let content: SizedContent?
  }

  private typealias Holders = [BytePath: SizedContent]

  private static let largestBatch: UInt64 = 512 << 20
  /// So many states are compared at once.
  private static let compared = 128
  /// Longer lists of places are cut.
  private static let places = 1000

  private let repository: Repository
  private let pattern: SearchPattern
  private let paths: [BytePath]
  private let monitor: any Monitor
  private let search: ContentSearch
  private var states: [LogEntry] = []
  private var problems: SearchProblems
  private var holders: Holders = [:]
  private var open: (newest: Int, oldest: Int, newestHolders: Holders, oldestHolders: Holders)?
  private var periods: [TextPeriod] = []

  init(_ repository: Repository, text: [UInt8], paths: [BytePath], _ monitor: any Monitor) throws(RepositoryError) {
    self.repository = repository
    self.paths = paths
    self.monitor = monitor
    pattern = try SearchPattern(text: text)
    problems = SearchProblems(repository)
    search = ContentSearch(repository.store, pattern, .occurrences) { monitor.isCancelled }
  }

  mutating func run() throws(RepositoryError) -> WhenReport {
    monitor.begin(.measuring)
    states = try KnownStates(repository: repository).all(isUnique: false).filter { $0.snapshot.kind == .tree }
    let walk = TreePairWalk(RecentTrees(over: repository.store), paths: paths) { [monitor] in monitor.isCancelled }
    var waiting: [(state: Int, differences: [Difference])] = []
    var size: UInt64 = 0
    var last: ObjectID?
    for start in stride(from: 0, to: states.count, by: WhenOperation.compared) {
      let indices = start..<min(start + WhenOperation.compared, states.count)
      let trees = try indices.map { (index) throws(RepositoryError) in
        try repository.record(of: states[index].snapshot.id.object)?.record.tree
      }
      let findings = try differences(between: [last] + trees, walk)
      for (index, finding) in zip(indices, findings) {
        try problems.add(finding.damage, of: states[index])
        waiting.append((index, finding.items))
        size += finding.items.reduce(0) { $0 + ($1.content?.size ?? 0) }
        if size >= WhenOperation.largestBatch {
          try apply(waiting)
          waiting = []
          size = 0
        }
      }
      last = trees.last ?? last
    }
    try apply(waiting)
    try close()
    return WhenReport(periods: periods, states: states.count, problems: problems.all)
  }

  /// What each tree has that the one before it has not, and the reverse.
  private func differences(
    between trees: [ObjectID?], _ walk: TreePairWalk
  ) throws(RepositoryError) -> [TreePairFinding<Difference>] {
    try translating { () throws(StoreError) in
      try walk.run(zip(trees, trees.dropFirst()).map { (old: $0, new: $1) }) { path, old, new in
        let (before, now) = (old?.sizedContent, new?.sizedContent)
        return before == now ? nil : Difference(path: path, content: now)
      }
    }
  }

  private mutating func apply(
    _ waiting: [(state: Int, differences: [Difference])]
  ) throws(RepositoryError) {
    let contents = waiting.flatMap { $0.differences.compactMap(\.content) }
    let results = try translating { () throws(StoreError) in try search.run(contents) }
    monitor.advance(files: contents.count, bytes: contents.reduce(0) { $0 + $1.size })
    for (index, differences) in waiting {
      for difference in differences {
        let result = difference.content.flatMap { results[$0.content] }
        if let failure = result?.failure { try problems.add(failure, at: difference.path, of: states[index]) }
        holders[difference.path] = (result?.count ?? 0) > 0 ? difference.content : nil
      }
      if holders.isEmpty {
        try close()
      } else if open == nil {
        open = (index, index, holders, holders)
      } else {
        open?.oldest = index
        open?.oldestHolders = holders
      }
    }
  }

  private mutating func close() throws(RepositoryError) {
    guard let found = open else { return }
    open = nil
    periods.append(
      TextPeriod(
        first: states[found.oldest], firstPlaces: try places(found.oldestHolders), last: states[found.newest],
        lastPlaces: try places(found.newestHolders), gone: found.newest > 0 ? states[found.newest - 1] : nil,
        states: found.oldest - found.newest + 1))
  }

  private func places(_ holders: Holders) throws(RepositoryError) -> [TextPeriod.Place] {
    let scan = ContentScan(repository.store, pattern, .lines) { [monitor] in monitor.isCancelled }
    return holders.sorted { $0.key < $1.key }.prefix(WhenOperation.places).map { path, content in
      var first: FoundLine?
      _ = scan.run(content) { line in
        first = line
        return false
      }
      return TextPeriod.Place(path: path, line: first?.number, text: first?.bytes ?? [])
    }
  }
}

extension Repository {
  /// The first and the last state that hold a text within a line, and the states whose changes made it come and go. Looks
  /// at all states of the folder that `log` knows with `showsAll`, in the order of time. `paths`: only these files and
  /// folders; all when empty. Throws `.invalidArgument` for a text that is empty or more than a line.
  public func when(
    _ text: [UInt8], paths: [BytePath] = [], monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> WhenReport {
    var operation = try WhenOperation(self, text: text, paths: paths, monitor)
    return try operation.run()
  }
}
