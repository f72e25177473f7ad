// Searches the content of states for a pattern. A version of a file is searched once and told once, with the newest state
// that has it: the walk goes from the newest state to the oldest and looks only at what differs.

internal import MementoStore

/// What is searched, and for what.
public struct GrepOptions: Sendable {
  /// What the lines must match.
  public var pattern: SearchPattern
  /// The snapshots to search, in this order. When empty, all that `log` knows with `showsAll`, newest first.
  public var revisions: [Revision] = []
  /// Only these files and folders, relative to the folder; all, and values, when empty.
  public var paths: [BytePath] = []
  /// Also what these select. With exclusions alone: everything else.
  public var pathspecs: [Pathspec] = []
  /// Tells only which files have a match.
  public var onlyNames = false

  /// Makes options with the defaults.
  public init(_ pattern: SearchPattern) {
    self.pattern = pattern
  }
}

/// A match.
public struct GrepMatch: Sendable {
  /// A line of text.
  public struct Line: Sendable, Equatable {
    /// From 1.
    public var number: Int
    /// Without the line break.
    public var bytes: [UInt8]
  }

  /// The first state of the search that has this version of the file.
  public var state: LogEntry
  /// Relative to the folder; nil for a value.
  public var path: BytePath?
  /// The line; nil with `onlyNames`, and for a file that is not text.
  public var line: Line?
  /// Whether the file is not text: it has a NUL among its first 8,000 bytes.
  public var isBinary: Bool
}

/// What a search has looked at.
public struct GrepSummary: Sendable {
  /// How many matches were told.
  public var matches = 0
  /// How many states were searched.
  public var states = 0
  /// How many contents were read, each once.
  public var contents = 0
  /// What could not be read.
  public var problems: [Problem] = []
}

struct GrepOperation {
  /// A version of a file, or a value.
  private struct Job {
    let state: Int
    let path: BytePath?
    let content: SizedContent
  }

  /// What makes a version: it is told once.
  private struct Version: Hashable {
    let path: BytePath?
    let content: FileContent
  }

  /// The first results come soon, and later there is enough at once to read packs in order.
  private static let firstBatch: UInt64 = 1 << 20
  private static let largestBatch: UInt64 = 512 << 20
  private static let mostJobs = 1 << 16
  /// So many bytes of lines are held at once, more or less.
  private static let heldLines = 8 << 20

  private let repository: Repository
  private let options: GrepOptions
  private let monitor: any Monitor
  private let search: ContentSearch
  private var states: [LogEntry] = []
  private var jobs: [Job] = []
  private var waiting: UInt64 = 0
  private var batch = GrepOperation.firstBatch
  private var summary = GrepSummary()
  private var problems: SearchProblems

  init(_ repository: Repository, _ options: GrepOptions, _ monitor: any Monitor) {
    self.repository = repository
    self.options = options
    self.monitor = monitor
    problems = SearchProblems(repository)
    search = ContentSearch(repository.store, options.pattern, options.onlyNames ? .presence : .lines) {
      monitor.isCancelled
    }
  }

  mutating func run(_ tell: ([GrepMatch]) throws -> Void) throws -> GrepSummary {
    monitor.begin(.measuring)
    let known = KnownStates(repository: repository)
    states = try options.revisions.isEmpty ? known.all(isUnique: true) : known.named(options.revisions)
    var walk = TreeWalk(repository.store, paths: options.paths, pathspecs: options.pathspecs) { [monitor] in
      monitor.isCancelled
    }
    /// The versions that have been met and are not in the tree before: a file may change back.
    var met: Set<Version> = []
    var last: ObjectID?
    for (index, state) in states.enumerated() {
      guard let record = try repository.record(of: state.snapshot.id.object) else { continue }
      if let value = record.value {
        let isEverything = options.paths.isEmpty && options.pathspecs.isEmpty
        if isEverything, met.insert(Version(path: nil, content: value.content)).inserted {
          try add(Job(state: index, path: nil, content: value), tell)
        }
        continue
      }
      let damage = walk.damage.count
      var found: [Job] = []
      try translating { () throws(StoreError) in
        try walk.walk(from: last, to: record.tree) { (path, old, new) throws(StoreError) in
          let (before, now) = (old?.sizedContent, new?.sizedContent)
          if before == now { return }
          if let before { met.insert(Version(path: path, content: before.content)) }
          guard let now, now.size > 0 else { return }
          // What the first tree has was met by nobody.
          if last != nil, !met.insert(Version(path: path, content: now.content)).inserted { return }
          found.append(Job(state: index, path: path, content: now))
        }
      }
      for job in found { try add(job, tell) }
      try problems.add(walk, from: damage, of: state)
      last = record.tree
    }
    try flush(tell)
    summary.states = states.count
    summary.contents = search.searched
    summary.problems = problems.all
    return summary
  }

  private mutating func add(_ job: Job, _ tell: ([GrepMatch]) throws -> Void) throws {
    if job.content.size > ContentSearch.large {
      try flush(tell)
      return try runAlone(job, tell)
    }
    jobs.append(job)
    waiting += job.content.size
    if waiting >= batch || jobs.count >= GrepOperation.mostJobs { try flush(tell) }
  }

  private mutating func flush(_ tell: ([GrepMatch]) throws -> Void) throws {
    if jobs.isEmpty { return }
    let results = try translating { () throws(StoreError) in try search.run(jobs.map(\.content)) }
    monitor.advance(files: jobs.count, bytes: waiting)
    var matches: [GrepMatch] = []
    var held = 0
    for job in jobs {
      guard let result = results[job.content.content] else { continue }
      for line in result.lines {
        held += line.bytes.count
        matches.append(match(job, line: line, result))
      }
      if result.count > 0, options.onlyNames || result.isBinary { matches.append(match(job, line: nil, result)) }
      if let failure = result.failure { try problems.add(failure, at: job.path, of: states[job.state]) }
    }
    jobs = []
    waiting = 0
    batch = held > GrepOperation.heldLines ? max(batch / 2, 1 << 16) : min(batch * 4, GrepOperation.largestBatch)
    try pass(matches, tell)
  }

  /// Searches a large content, whose matches may be too many to be held.
  private mutating func runAlone(_ job: Job, _ tell: ([GrepMatch]) throws -> Void) throws {
    var matches: [GrepMatch] = []
    var held = 0
    var failure: (any Error)?
    var told = 0
    let placeholder = ScanResult()
    let result = try translating { () throws(StoreError) in
      try search.run(job.content) { line in
        matches.append(match(job, line: line, placeholder))
        held += line.bytes.count + 64
        if held < 1 << 16 { return true }
        do {
          try tell(matches)
          told += matches.count
        } catch let error {
          failure = error
        }
        matches = []
        held = 0
        return failure == nil
      }
    }
    if let failure { throw failure }
    summary.matches += told
    if result.count > 0, options.onlyNames || result.isBinary { matches.append(match(job, line: nil, result)) }
    if let failure = result.failure { try problems.add(failure, at: job.path, of: states[job.state]) }
    monitor.advance(files: 1, bytes: job.content.size)
    try pass(matches, tell)
  }

  private func match(_ job: Job, line: FoundLine?, _ result: ScanResult) -> GrepMatch {
    GrepMatch(
      state: states[job.state], path: job.path,
      line: line.map { GrepMatch.Line(number: $0.number, bytes: $0.bytes) }, isBinary: result.isBinary)
  }

  private mutating func pass(_ matches: [GrepMatch], _ tell: ([GrepMatch]) throws -> Void) throws {
    if matches.isEmpty { return }
    summary.matches += matches.count
    try tell(matches)
  }
}

extension Repository {
  /// Searches the content of files and values for lines that match. A version of a file that several states have is told
  /// once, with the newest of them; with `revisions`, with the first of these. `tell` gets the matches as they are found, in
  /// the order of states and paths; what it throws ends the search. What cannot be read is in `problems`, and the rest goes on.
  @discardableResult
  public func grep(
    _ options: GrepOptions, monitor: any Monitor = SilentMonitor(), tell: ([GrepMatch]) throws -> Void
  ) throws -> GrepSummary {
    var operation = GrepOperation(self, options, monitor)
    return try operation.run(tell)
  }
}
