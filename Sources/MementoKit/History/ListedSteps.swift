// The steps that `log` lists: those of the timeline, and with `showsAll` what is on no timeline of this folder, in the order of
// time.

internal import MementoStore

/// A step, and why it is not on the timeline; nil when it is.
struct ListedStep {
  let step: HistoryStep
  let mark: LogMark?
  /// Whether it is known that something differs at the paths that are asked for.
  var differs = false
}

struct ListedSteps {
  private let options: LogOptions
  private var steps: HistorySteps
  /// What is on no timeline; nil when that is not asked for.
  private(set) var left: UnlistedSnapshots?
  private let elsewhere: Set<ObjectID>
  /// The next step of the timeline.
  private var pending: HistoryStep?
  private var isAtEnd = false

  /// `start`: lists this snapshot and its parents instead of the timeline.
  init(
    _ repository: Repository, _ refs: Refs, from start: ObjectID?, _ options: LogOptions, _ records: RecordReader
  ) throws(RepositoryError) {
    self.options = options
    steps = HistorySteps(refs, from: start, records)
    left = options.showsAll ? try UnlistedSnapshots(repository, refs) : nil
    elsewhere = options.showsAll ? Set(refs.forks.flatMap { $0.timeline.steps.map(\.snapshot) }) : []
  }

  /// The next older step that is not outside of the times of the options; nil where history ends.
  mutating func next() throws(RepositoryError) -> ListedStep? {
    while !isAtEnd {
      if pending == nil { pending = try steps.next() }
      var step = pending
      var isLeft = false
      if let found = try nextLeft() {
        step = found
        isLeft = true
      } else if let pending {
        left?.passed(pending.snapshot)
      }
      guard let step else { break }
      if !isLeft { pending = nil }
      if let since = options.since?.timestamp, step.time < since, !step.isUnread {
        // Parents are older than their children, so all entries after this one are too old. A step has the time that
        // the clock showed, which may have jumped.
        if step.isAncestor, left == nil { break }
        continue
      }
      if let until = options.until?.timestamp, step.time > until { continue }
      let whyLeft: LogMark = elsewhere.contains(step.snapshot) ? .elsewhere : step.isOfName ? .named : .undone
      let mark = isLeft ? whyLeft : nil
      return ListedStep(step: step, mark: mark)
    }
    isAtEnd = true
    return nil
  }

  private mutating func nextLeft() throws(RepositoryError) -> HistoryStep? {
    do throws(StoreError) {
      return try left?.next(after: pending?.time)
    } catch {
      throw RepositoryError(error)
    }
  }
}
