// The timeline of a folder on its way to a remote and from it: a blob with its steps, which the position names.

internal import MementoModel
internal import MementoRemote
internal import MementoStore

struct PushedTimeline {
  /// The blob: an encoded `StepList`.
  let bytes: [UInt8]
  let id: ObjectID
  /// The snapshots of the steps.
  let snapshots: Set<ObjectID>

  /// Nil when there are no steps.
  init?(_ timeline: FolderTimeline) {
    guard let position = timeline.position else { return nil }
    let steps = timeline.steps.map { step in
      StepList.Step(
        operation: PushedTimeline.operation(step.operation), time: step.time, snapshot: step.snapshot, paths: step.paths
      )
    }
    bytes = StepList(steps: steps, position: position).encoded()
    id = bytes.withUnsafeBytes { ObjectID(hashing: $0) }
    snapshots = Set(timeline.steps.map(\.snapshot))
  }

  /// The timeline that a blob of a remote holds, with at most as many steps as a timeline here has: those around the current
  /// one.
  static func timeline(_ bytes: [UInt8]) throws(RemoteError) -> FolderTimeline {
    let list = try StepList(bytes)
    guard let position = list.position else { return FolderTimeline() }
    let first = max(0, min(list.steps.count, position + 1 + FolderTimeline.limit / 2) - FolderTimeline.limit)
    let steps = list.steps[first...].prefix(FolderTimeline.limit).map { step in
      TimelineStep(operation: operation(step.operation), time: step.time, snapshot: step.snapshot, paths: step.paths)
    }
    guard let timeline = FolderTimeline(steps: steps, position: position - first) else {
      throw .damaged(nil, reason: "a timeline has no current step")
    }
    return timeline
  }

  private static func operation(_ operation: StepOperation) -> StepList.Operation {
    switch operation {
    case .save: .save
    case .restore: .restore
    case .guarded: .guarded
    }
  }

  private static func operation(_ operation: StepList.Operation) -> StepOperation {
    switch operation {
    case .save: .save
    case .restore: .restore
    case .guarded: .guarded
    }
  }
}
