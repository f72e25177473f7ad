// What one screen says of a folder and its store.

internal import MementoStore
internal import MementoSystem

/// Where a folder is, what changed in it, what happened last, and what undo and redo would do.
public struct FolderOverview: Equatable, Sendable {
  /// A state on the timeline, and the names that it has now.
  public struct Place: Equatable, Sendable {
    /// The snapshot of the state.
    public var snapshot: Snapshot
    /// Its names, sorted by their bytes.
    public var names: [String]
  }

  /// Where the folder is, and what changed since.
  public var status: StatusSummary
  /// The last steps of the history, newest first.
  public var entries: [LogEntry]
  /// Where an undo goes: with unsaved changes to the state that they started from, which is the position; else to the
  /// step before it. Nil when there is nothing to undo.
  public var undo: Place?
  /// Where a redo goes. Nil when there is nothing to redo.
  public var redo: Place?
  /// The number of names.
  public var states: Int
  /// The bytes of the packs in the store.
  public var storedBytes: UInt64
}

extension Repository {
  /// Looks at the folder as `status` does, and at the newest `steps` entries of the history.
  public func overview(
    steps: Int = 5, options: StatusOptions = StatusOptions(), monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> FolderOverview {
    let status = try status(options, monitor: monitor)
    var last = LogOptions()
    last.limit = steps
    let entries = try log(last)
    return try withoutWaiting { () throws(RepositoryError) in
      let refs = try readRefs()
      let timeline = refs.timeline
      let before = timeline.position.map { status.changes.isEmpty ? $0 - 1 : $0 }
      return FolderOverview(
        status: status, entries: entries, undo: try place(before, refs),
        redo: try place(timeline.position.map { $0 + 1 }, refs), states: refs.states.count,
        storedBytes: try translating { () throws(StoreError) in
          _ = try store.index.presentPacks()
          return store.index.packBytes
        })
    }
  }

  /// A step of the timeline. Nil when there is no such step.
  private func place(_ step: Int?, _ refs: Refs) throws(RepositoryError) -> FolderOverview.Place? {
    guard let step, refs.timeline.steps.indices.contains(step) else { return nil }
    let id = refs.timeline.steps[step].snapshot
    let record = try RecordReader(self).record(id)
    return FolderOverview.Place(snapshot: Snapshot(id, record), names: refs.states.names(of: id))
  }
}
