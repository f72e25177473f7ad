// Deletes names and frees their space at once: their steps on the timeline go as well, and so does what the trash keeps of
// them. Packs that hold any of it are rewritten, however little that is. Killed anywhere, it leaves a store that is whole:
// the states are still there, or a purge without paths removes what is left of them.

internal import MementoStore
internal import MementoSystem

/// A state that was deleted for good.
public struct PurgedState: Equatable, Sendable {
  /// The name, which is free now.
  public var name: String
  /// The snapshot that the name meant.
  public var snapshot: SnapshotID
  /// Other names of the snapshot, which keep it.
  public var otherNames: [String]
  /// Whether the folder, or a fork, is at this snapshot, which keeps it.
  public var isCurrent: Bool
}

/// What deleting for good has done.
public struct PurgeSummary: Equatable, Sendable {
  /// The states that were deleted, in the order in which they were named.
  public var deleted: [PurgedState]
  /// Steps of the timeline that are gone.
  public var stepsRemoved: Int
  /// Bytes that were freed. For a dry run an estimate.
  public var bytesFreed: UInt64
  /// What gc has done; nil for a dry run. `packsNotRewritten` of it counts packs that still hold some of it, because the
  /// disk is full.
  public var garbage: GarbageSummary?
}

struct PurgeDeletion {
  private typealias Removed = (deleted: [PurgedState], steps: Int)

  let repository: Repository
  let monitor: any Monitor

  func run(_ names: [String], isDryRun: Bool) throws(RepositoryError) -> PurgeSummary {
    if isDryRun {
      var refs = try repository.readRefs()
      let (deleted, steps) = try remove(names, from: &refs)
      var options = StatisticsOptions()
      options.names = deleted.map(\.name)
      let freed = try StatisticsOperation(repository: repository, options: options, monitor: monitor).run()
      return PurgeSummary(
        deleted: deleted, stepsRemoved: steps, bytesFreed: freed.amounts.freedNow.stored, garbage: nil)
    }
    var summary = PurgeSummary(deleted: [], stepsRemoved: 0, bytesFreed: 0, garbage: nil)
    let blobs = try forget(names, &summary, holding: try repository.lockAlone(monitor))
    let garbage = try GarbageCollection(
      repository: repository, options: GarbageOptions(), monitor: monitor, extent: .removing(blobs)
    ).run()
    summary.bytesFreed = garbage.bytesFreed
    summary.garbage = garbage
    return summary
  }

  /// The names, the steps and what the trash keeps of them go in one commit. Returns all that the snapshots hold.
  private func forget(
    _ names: [String], _ summary: inout PurgeSummary, holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(RepositoryError) -> BlobSet {
    var refs = try repository.readRefs()
    try repository.checkNoPendingRestoreAnywhere(refs)
    let blobs = try content(of: try remove(names, from: &refs).deleted)
    let outcome = try translating { () throws(StoreError) -> Result<Removed, RepositoryError> in
      try lock.check()
      return try repository.store.refs.removeForGood(holding: lock, waiting: repository.wait(monitor)) {
        (refs) throws(RepositoryError) -> (result: Removed, gone: Set<ObjectID>) in
        let removed = try remove(names, from: &refs)
        return (removed, Set(removed.deleted.map(\.snapshot.object)))
      }
    }
    let (deleted, steps) = try outcome.get()
    repository.backUpConfig()
    var line = repository.journalEntry("delete", snapshot: nil, name: nil, at: Clock.now())
    repository.journal(
      deleted.map { state in
        line.snapshot = state.snapshot.object
        line.name = state.name
        return line
      })
    try translating { () throws(StoreError) in
      do throws(StoreError) {
        try repository.store.refs.forgetEarlier(holding: lock, waiting: repository.wait(monitor))
      } catch {
        // A full disk is no obstacle: `refs.prev` name them until the next change.
        guard error.isNoSpace else { throw error }
      }
    }
    summary.deleted = deleted
    summary.stepsRemoved = steps
    return blobs
  }

  /// Everything that these snapshots hold, as far as it is there.
  private func content(of states: [PurgedState]) throws(RepositoryError) -> BlobSet {
    try translating { () throws(StoreError) in
      var reachable = Reachability(repository, monitor: monitor)
      for state in states { _ = try reachable.addWhatIsThere(state.snapshot.object) }
      return reachable.release()
    }
  }

  /// Looks up all names before any is removed. Throws `.noSuchState` for the first that does not exist.
  private func remove(
    _ names: [String], from refs: inout Refs
  ) throws(RepositoryError) -> Removed {
    var seen: Set<[UInt8]> = []
    var found: [(name: String, snapshot: ObjectID)] = []
    for name in names where seen.insert(Array(name.utf8)).inserted {
      guard let id = refs[name] else {
        throw .unknownState(name, in: refs, "; nothing was deleted")
      }
      found.append((name, id))
    }
    refs.states.set(found.map { ($0.name, nil) })
    let positions = Set(refs.timelines.compactMap { $0.current?.snapshot })
    let others = refs.states.names(of: found.map(\.snapshot))
    let deleted = found.map { state in
      PurgedState(
        name: state.name, snapshot: SnapshotID(state.snapshot), otherNames: others[state.snapshot] ?? [],
        isCurrent: positions.contains(state.snapshot))
    }
    let gone = deleted.filter { $0.otherNames.isEmpty && !$0.isCurrent }.map(\.snapshot.object)
    return (deleted, refs.removeSteps(of: Set(gone)))
  }
}
