// Lists the steps of the folder, newest first: the timeline, and beyond its oldest step the parents of its snapshot.

internal import MementoStore
internal import MementoSystem

struct HistoryStep {
  var operation: StepOperation
  var time: Timestamp
  var snapshot: ObjectID
  var isCurrent = false
  /// The snapshot before this step, where the timeline knows it; otherwise it is the parent.
  var before: ObjectID?
  /// The position is before this step: undo has taken it back.
  var isTakenBack = false
  /// What the step did, where the timeline knows it.
  var story: StepStory?
  /// The step is not on the timeline; it was found by following parents.
  var isAncestor = false
  /// The step is not on the timeline; a name led to it.
  var isOfName = false
  /// Its record could not be read, so that nobody knows its time. Whoever lists the step says why.
  var isUnread = false
}

/// Reading the steps of the timeline needs no record. Each older step needs the record of its snapshot.
struct HistorySteps {
  private enum Place {
    case step(Int)
    case snapshot(ObjectID)
    case parent(of: ObjectID)
    case end
  }

  private let records: RecordReader
  private let timeline: FolderTimeline
  private var place: Place
  /// The snapshot that is marked as current in a list that starts at a snapshot; the timeline marks its own position.
  private let current: ObjectID?

  /// With `start`, lists this snapshot and its parents instead of the timeline. For a value, lists what its name meant
  /// before.
  init(_ refs: Refs, from start: ObjectID?, _ records: RecordReader) {
    self.records = records
    timeline = refs.timeline
    current = start == nil ? nil : timeline.current?.snapshot
    let newest = timeline.steps.count - 1
    place = start.map { .snapshot($0) } ?? (newest < 0 ? .end : .step(newest))
  }

  /// The next older step; nil where history ends, also because gc has removed the rest.
  mutating func next() throws(RepositoryError) -> HistoryStep? {
    switch place {
    case .step(let index):
      let step = timeline.steps[index]
      place = index > 0 ? .step(index - 1) : .parent(of: step.snapshot)
      return HistoryStep(
        operation: step.operation, time: step.time, snapshot: step.snapshot,
        isCurrent: index == timeline.position, before: index > 0 ? timeline.steps[index - 1].snapshot : nil,
        isTakenBack: timeline.position.map { index > $0 } ?? false, story: step.story)
    case .snapshot(let id):
      return ancestor(id, try records.record(id))
    case .parent(let child):
      place = .end
      guard let record = try records.kept(child),
        let parent = record.tree == nil ? record.replaces : record.parent,
        let kept = try records.kept(parent)
      else { return nil }
      return ancestor(parent, kept)
    case .end:
      return nil
    }
  }

  private mutating func ancestor(_ id: ObjectID, _ record: SnapshotRecord) -> HistoryStep {
    place = .parent(of: id)
    return HistoryStep(
      operation: .save, time: record.time, snapshot: id, isCurrent: id == current, isAncestor: true)
  }
}
