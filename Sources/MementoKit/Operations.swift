// The public interface: what the command line and other programs call. The code of each operation is in a room of its
// own.

internal import MementoStore
internal import MementoSystem

extension Repository {
  /// Makes a store for `folder`. `compression`: `none`, `zlib[:1-9]` or `zstd[:1-19]`; nil for the standard. Throws
  /// `.storeExists` when there is one, `.invalidArgument` for another compression, and `.foreignOwner`.
  public static func create(
    folder: BytePath, options: OpenOptions = OpenOptions(), compression: String? = nil
  ) throws(RepositoryError) -> Repository {
    try StoreMaker(options).create(folder, compression: compression)
  }

  /// Opens the store of `folder`, not of a folder above it. Makes the folder and the store where they are missing.
  public static func openOrCreate(
    folder: BytePath, options: OpenOptions = OpenOptions()
  ) throws(RepositoryError) -> Repository {
    try StoreFinder(options).openOrCreate(folder)
  }

  /// Opens the store of `folder`, or of the nearest folder above it. Throws `.noStore` when there is none. `isAttached`
  /// of the result tells whether the folder of the store may be used from `folder`.
  public static func find(
    from folder: BytePath, options: OpenOptions = OpenOptions()
  ) throws(RepositoryError) -> Repository {
    try StoreFinder(options).find(from: folder)
  }

  /// Gives `body` a repository for a folder that has no store yet, to find out what a first save would do. Nothing of
  /// it remains. `scratch`: a folder for temporary files.
  public static func withScratchStore<Result>(
    for folder: BytePath, in scratch: BytePath, options: OpenOptions = OpenOptions(),
    _ body: (Repository) throws -> Result
  ) throws -> Result {
    try StoreMaker(options).withScratchStore(for: folder, in: scratch, body)
  }

  /// Saves the whole folder.
  @discardableResult
  public func save(
    _ options: SaveOptions = SaveOptions(), monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> SaveSummary {
    let start = upkeepClock()
    try prepareFolder(isDryRun: options.isDryRun)
    let summary = try SaveOperation(repository: self, options: options, monitor: monitor).run()
    if summary.isCommitted, !summary.isUnchanged { AutomaticUpkeep(self).run(since: start) }
    return summary
  }

  /// Saves the bytes that can be read from a descriptor as a single value. Calls `confirm` after the last byte; when it
  /// throws, nothing is saved.
  public func saveValue(
    readingFrom descriptor: Int32, as name: String, _ options: ValueOptions = ValueOptions(),
    monitor: any Monitor = SilentMonitor(), confirm: () throws(RepositoryError) -> Void = {}
  ) throws(RepositoryError) -> SaveSummary {
    let start = upkeepClock()
    leavePointer(isDryRun: options.isDryRun)
    let summary = try ValueSave(repository: self, name: name, options: options, monitor: monitor)
      .run(reading: descriptor, confirm: confirm)
    if summary.isCommitted { AutomaticUpkeep(self).run(since: start) }
    return summary
  }

  /// Saves values under their names and deletes other names in one commit. When it throws, nothing has changed.
  @discardableResult
  public func saveValues(
    _ values: [NamedValue], deleting names: [String] = [], monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> [Snapshot] {
    let start = upkeepClock()
    leavePointer()
    let saved = try ValueBatch(repository: self, monitor: monitor).run(values, deleting: names)
    AutomaticUpkeep(self).run(since: start)
    return saved
  }

  /// What a state holds; nil when there is no such state. Throws `.invalidArgument` for a value of more than 1 GiB.
  public func content(ofState name: String) throws(RepositoryError) -> StateContent? {
    try StateReader(repository: self).run(name)
  }

  /// Gives an existing snapshot a name. It keeps the names it has.
  @discardableResult
  public func name(
    _ revision: Revision, as name: String, _ options: NamingOptions = NamingOptions()
  ) throws(RepositoryError) -> SaveSummary {
    leavePointer(isDryRun: options.isDryRun)
    return try NameOperation(repository: self, name: name, options: options).run(revision)
  }

  /// Restores the folder to a snapshot.
  @discardableResult
  public func restore(
    _ revision: Revision, _ options: RestoreOptions = RestoreOptions(), monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestoreSummary {
    try prepareFolder(isDryRun: options.isDryRun)
    return try RestoreOperation(repository: self, options: options, monitor: monitor).run(revision)
  }

  /// Writes a snapshot into a new or empty folder. The folder of the repository does not change.
  @discardableResult
  public func restore(
    _ revision: Revision, to destination: BytePath, _ options: ExtractOptions = ExtractOptions(),
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestoreSummary {
    try ExtractOperation(repository: self, options: options, monitor: monitor).run(revision, to: destination)
  }

  /// Makes a new or empty folder into a fork: a working folder at a snapshot, with steps of its own, that shares the store.
  /// Called again for a fork that was interrupted, it goes on. `options`: for opening the fork. Throws `.notEmpty` when the
  /// folder holds anything else, and `.invalidArgument` when it is inside of another folder of the store.
  @discardableResult
  public func fork(
    _ revision: Revision, to folder: BytePath, options: OpenOptions = OpenOptions(), isDryRun: Bool = false,
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> ForkSummary {
    try ForkOperation(repository: self, options: options, monitor: monitor)
      .run(revision, to: folder, isDryRun: isDryRun)
  }

  /// The forks of the store, oldest first.
  public func forks() throws(RepositoryError) -> [Fork] {
    try ForkListing(repository: self).run()
  }

  /// Forgets a fork: its steps go, its files stay. `folder`: where it is or was, or its id. Throws `.noSuchState` when that is
  /// no fork of the store, and `.restorePending` when a restore of it was interrupted.
  @discardableResult
  public func forgetFork(
    _ folder: BytePath, options: OpenOptions = OpenOptions(), isDryRun: Bool = false,
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> ForgottenFork {
    try ForkRemoval(repository: self, options: options, monitor: monitor).run(folder, isDryRun: isDryRun)
  }

  /// Takes back in the folder what changed from one snapshot to another, and keeps what was changed since. Texts that were
  /// changed since are merged; where the same lines were changed, the file has both, between marks. What no snapshot has is
  /// saved first, as by a restore of the paths that change, and undo takes the revert back.
  @discardableResult
  public func revert(
    from before: Revision, to after: Revision, _ options: RevertOptions = RevertOptions(),
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RevertSummary {
    try prepareFolder(isDryRun: options.isDryRun)
    return try RevertOperation(repository: self, options: options, monitor: monitor).run(from: before, to: after)
  }

  /// What would make the folder like a snapshot, piece by piece. Takes no lock and changes nothing. Throws
  /// `.restorePending`, and `.noSuchPath` when a path is neither in the snapshot nor in the folder.
  public func patch(
    to revision: Revision, _ options: PatchOptions = PatchOptions(), monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestorePatch {
    _ = try root
    try checkConfig()
    return try withoutWaiting { () throws(RepositoryError) in
      try PatchLook(repository: self, options: options, monitor: monitor).run(revision)
    }
  }

  /// Restores chosen pieces of a patch and nothing else, as one step of the timeline. What no snapshot has is saved first, as
  /// by a restore of the paths that change, and undo takes it back. A path that is not what it was when it was compared is
  /// left alone; `changed` of the result names it. Throws `.noSuchState` when the snapshot is not kept any more, and
  /// `.invalidArgument` when a path was chosen twice. `asRecorded`: see `RestoreOptions`.
  @discardableResult
  public func restore(
    _ patch: RestorePatch, _ choices: [PatchChoice], isDryRun: Bool = false, asRecorded: Bool = false,
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> PatchSummary {
    try prepareFolder(isDryRun: isDryRun)
    return try PatchRestore(
      repository: self, patch: patch, isDryRun: isDryRun, asRecorded: asRecorded, monitor: monitor
    ).run(choices)
  }

  /// Goes back on the timeline. Unsaved changes are saved first, as a step of their own. When only some paths were
  /// restored, undo changes only these paths; unsaved changes elsewhere remain unsaved. `keeping`: patterns in
  /// gitignore's grammar. Files that match stay as they are and do not count as changed. `asRecorded`: see
  /// `RestoreOptions`.
  @discardableResult
  public func undo(
    _ steps: Int = 1, keeping kept: [[UInt8]] = [], isDryRun: Bool = false, asRecorded: Bool = false,
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> MoveSummary {
    try prepareFolder(isDryRun: isDryRun)
    return try TimelineMove(
      repository: self, kept: kept, isDryRun: isDryRun, asRecorded: asRecorded, monitor: monitor
    ).undo(steps)
  }

  /// Goes forward on the timeline, to a step that was undone. `keeping`: as for `undo`. `asRecorded`: see
  /// `RestoreOptions`.
  @discardableResult
  public func redo(
    _ steps: Int = 1, keeping kept: [[UInt8]] = [], isDryRun: Bool = false, asRecorded: Bool = false,
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> MoveSummary {
    try prepareFolder(isDryRun: isDryRun)
    return try TimelineMove(
      repository: self, kept: kept, isDryRun: isDryRun, asRecorded: asRecorded, monitor: monitor
    ).redo(steps)
  }

  /// What changed in the folder since its position on the timeline.
  public func status(
    _ options: StatusOptions = StatusOptions(), monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> StatusSummary {
    _ = try root
    try checkConfig()
    return try withoutWaiting { () throws(RepositoryError) in
      var summary = try FolderStatus(repository: self, options: options, monitor: monitor).run()
      summary.lastVerified = lastVerified()
      return summary
    }
  }

  /// The rule that decides about each of these paths, which are relative to the folder; nil where no rule does. A path
  /// that does not exist counts as a folder when it ends with a slash.
  public func ignoreReasons(
    for paths: [BytePath], _ options: IgnoreOptions = IgnoreOptions()
  ) throws(RepositoryError) -> [IgnoreReason?] {
    var lookup = IgnoreLookup(root: try root, filter: try rules(options, keepingEarlier: false).filter)
    var reasons: [IgnoreReason?] = []
    for path in paths {
      do throws(Errno) {
        reasons.append(try lookup.reason(for: path.components, isFolder: path.bytes.last == UInt8(ascii: "/")))
      } catch {
        throw RepositoryError(
          .system, "cannot tell what is ignored at \(path): \(error)", path: path, systemError: error.code)
      }
    }
    return reasons
  }

  /// Compares two snapshots, or a snapshot with the folder as it is.
  public func diff(
    _ options: DiffOptions = DiffOptions(), monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> Comparison {
    if options.to == nil {
      _ = try root
      try checkConfig()
    }
    return try withoutWaiting { () throws(RepositoryError) in
      try CompareOperation(repository: self, monitor: monitor).run(options)
    }
  }

  /// Finishes an interrupted restore. `asRecorded`: see `RestoreOptions`.
  public func continueRestore(
    asRecorded: Bool = false, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestoreSummary {
    try prepareFolder(isDryRun: false)
    return try RestoreRecovery(repository: self, asRecorded: asRecorded, monitor: monitor).run(.forward)
  }

  /// Aborts an interrupted restore: restores the folder to the state before it. `asRecorded`: see `RestoreOptions`.
  public func abortRestore(
    asRecorded: Bool = false, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestoreSummary {
    try prepareFolder(isDryRun: false)
    return try RestoreRecovery(repository: self, asRecorded: asRecorded, monitor: monitor).run(.back)
  }

  /// One snapshot with its names and what it changed.
  public func details(of revision: Revision) throws(RepositoryError) -> SnapshotDetails {
    try withoutWaiting { () throws(RepositoryError) in try SnapshotInspection(repository: self).run(revision) }
  }

  /// The entry at a path in the snapshot of a folder. An empty path is the folder itself.
  public func entry(_ revision: Revision, path: BytePath) throws(RepositoryError) -> FileEntry {
    let record = try RevisionResolver(self, try readRefs()).resolve(revision).record
    return try SnapshotTree(self, revision, record).entry(path)
  }

  /// The entries of a folder in a snapshot; with `isRecursive` also those of all folders in it. `next()` reads them one
  /// by one.
  public func entries(
    _ revision: Revision, path: BytePath = BytePath(""), isRecursive: Bool = false
  ) throws(RepositoryError) -> SnapshotEntries {
    let record = try RevisionResolver(self, try readRefs()).resolve(revision).record
    return try SnapshotTree(self, revision, record).entries(path, isRecursive: isRecursive)
  }

  /// Opens a value, or the file `path` of a snapshot, for reading.
  public func content(of revision: Revision, path: BytePath? = nil) throws(RepositoryError) -> ContentReader {
    try ContentOutput(repository: self).open(revision, path: path)
  }

  /// Writes a value, or the file `path` of a snapshot, to a descriptor.
  public func write(_ revision: Revision, path: BytePath? = nil, to descriptor: Int32) throws(RepositoryError) {
    try ContentOutput(repository: self).run(revision, path: path, to: descriptor)
  }

  /// The states, sorted by the bytes of their names; with `pattern` only those whose names match it, and nothing is read
  /// of the others. A state whose snapshot cannot be read has a `problem`.
  public func states(matching pattern: NamePattern? = nil) throws(RepositoryError) -> [ListedState] {
    let listing = StateListing(repository: self, pattern: pattern)
    let states = try withoutWaiting { () throws(RepositoryError) in try listing.run() }
    if states.allSatisfy({ $0.problem == nil }) { return states }
    // Another process may have deleted a state and collected its snapshot meanwhile. Damage counts if it is still there
    // under the lock.
    return try runHolding(try lockForReading()) { () throws(RepositoryError) in try listing.run() }
  }

  /// The names of the states and the ids of their snapshots. Reads `refs` alone.
  public func stateNames() throws(RepositoryError) -> [String: SnapshotID] {
    let refs = try readRefs()
    // A dictionary takes names that differ only by normal form as one. No save makes such names, but a forged store
    // may.
    return Dictionary(refs.states.map { ($0.name, SnapshotID($0.snapshot)) }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether a state has this name. Reads `refs` alone.
  public func hasState(_ name: String) throws(RepositoryError) -> Bool {
    try readRefs()[name] != nil
  }

  /// Deletes names: all of them, or none when one does not exist (`.noSuchState`).
  public func delete(_ names: [String], isDryRun: Bool = false) throws(RepositoryError) -> [DeletedState] {
    leavePointer(isDryRun: isDryRun)
    return try DeleteOperation(repository: self).run(names, isDryRun: isDryRun)
  }

  /// Deletes names, as `delete` does, and frees what only they hold at once: their steps of the timeline go too, except for
  /// the position, and nothing stays in the trash. Then collects garbage.
  @discardableResult
  public func purge(
    _ names: [String], isDryRun: Bool = false, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> PurgeSummary {
    leavePointer(isDryRun: isDryRun)
    return try PurgeDeletion(repository: self, monitor: monitor).run(names, isDryRun: isDryRun)
  }

  /// Takes paths out of every snapshot, and their content out of the store: the snapshots that have them are replaced by
  /// others, which names, steps and the trash then mean. The folder is not touched. Killed anywhere, it leaves a store that
  /// is whole, and another call does the rest, also one without paths. `remaining` of the result names what may still hold
  /// something. Throws `.noSuchPath` when no snapshot has one of the paths and others have another one, `.damaged` when a
  /// snapshot cannot be read as a whole, `.invalidArgument` for the folder itself, and `.restorePending`; nothing has
  /// changed then.
  @discardableResult
  public func purge(
    _ options: PurgeOptions, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> PathPurgeSummary {
    leavePointer(isDryRun: options.isDryRun)
    return try PurgeOperation(repository: self, options: options, monitor: monitor).run()
  }

  /// Deletes names by a policy, all in one commit. Snapshots stay until gc removes them. Throws `.wouldRemoveAll` when the
  /// policy keeps none and the options do not allow that.
  public func prune(_ options: PruneOptions) throws(RepositoryError) -> PruneSummary {
    leavePointer(isDryRun: options.isDryRun)
    return try PruneOperation(repository: self, options: options).run()
  }

  /// Gives a state another name. Its history comes along. Throws `.nameInUse` when another state has the new name. With
  /// `force`, that state is deleted.
  @discardableResult
  public func rename(
    _ old: String, to new: String, force: Bool = false, isDryRun: Bool = false
  ) throws(RepositoryError) -> RenamedState {
    leavePointer(isDryRun: isDryRun)
    return try RenameOperation(repository: self, force: force).run(old, to: new, isDryRun: isDryRun)
  }

  /// The note of a snapshot.
  public func note(of revision: Revision) throws(RepositoryError) -> NotedSnapshot {
    try withoutWaiting { () throws(RepositoryError) in try DescribeOperation(repository: self).read(revision) }
  }

  /// Puts a note of at most 4,096 bytes beside a snapshot; an empty one removes the note. The snapshot and its id stay
  /// what they are.
  @discardableResult
  public func describe(
    _ revision: Revision, as text: String, isDryRun: Bool = false
  ) throws(RepositoryError) -> NotedSnapshot {
    leavePointer(isDryRun: isDryRun)
    return try DescribeOperation(repository: self).set(revision, text, isDryRun: isDryRun)
  }

  /// The history of the folder, newest first.
  public func log(_ options: LogOptions = LogOptions()) throws(RepositoryError) -> [LogEntry] {
    try withoutWaiting { () throws(RepositoryError) in try SnapshotHistory(self).log(options) }
  }

  /// The snapshot that a text names.
  public func snapshot(_ revision: Revision) throws(RepositoryError) -> Snapshot {
    try withoutWaiting { () throws(RepositoryError) in
      Snapshot(try RevisionResolver(self, try readRefs()).resolve(revision))
    }
  }

  /// How many entries differ between two snapshots of a folder.
  public func countChanges(from old: SnapshotID, to new: SnapshotID) throws(RepositoryError) -> ChangeCounts {
    if old == new { return ChangeCounts() }
    return try withoutWaiting { () throws(RepositoryError) in
      let before = try record(of: old.object)?.record.tree
      let after = try record(of: new.object)?.record.tree
      return try translating { () throws(StoreError) in
        try TreeDiff(old: store, new: store, monitor: monitor).counts(from: before, to: after)
      }
    }
  }

  /// The keys of the config with the values that hold, and which file says so. Reads the config as it is now.
  public func settings() throws(RepositoryError) -> [ConfigSetting] {
    try ConfigOperation(repository: self).settings()
  }

  /// Changes one key of the config of the store in one step, durably. This repository goes on with the config that it was
  /// opened with. Throws `.invalidArgument` for a key or a value that cannot be, and `.notSet` where there is nothing to
  /// remove.
  @discardableResult
  public func changeConfig(
    _ change: ConfigChange, isDryRun: Bool = false
  ) throws(RepositoryError) -> ConfigChangeSummary {
    leavePointer(isDryRun: isDryRun)
    return try ConfigOperation(repository: self).change(change, isDryRun: isDryRun)
  }

  /// Removes what nothing refers to, and what the policy of the store does not keep any longer.
  public func collectGarbage(
    _ options: GarbageOptions, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> GarbageSummary {
    try GarbageCollection(repository: self, options: options, monitor: monitor).run()
  }

  /// Does the same with the policy as the config says it, and with `emptyingTrash` also removes what only the trash keeps.
  public func collectGarbage(
    isDryRun: Bool = false, emptyingTrash: Bool = false, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> GarbageSummary {
    var options = GarbageOptions()
    options.isDryRun = isDryRun
    options.emptiesTrash = emptyingTrash
    return try collectGarbage(options, monitor: monitor)
  }

  /// How much the store holds, what each state alone holds, what deleting it would free, and who keeps the rest. Changes
  /// nothing.
  public func statistics(
    _ options: StatisticsOptions = StatisticsOptions(), monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> StoreStatistics {
    try StatisticsOperation(repository: self, options: options, monitor: monitor).run()
  }

  /// Checks all snapshots and that everything they refer to is there; with `readData` also every byte.
  public func verify(
    readData: Bool = false, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> VerifyReport {
    try verify(VerifyOptions(readPercent: readData ? 100 : 0), monitor: monitor)
  }

  /// Checks all snapshots and that everything they refer to is there, and reads as much of it as the options say. Remembers
  /// what was read, where the store can be written.
  public func verify(
    _ options: VerifyOptions, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> VerifyReport {
    try Verification(repository: self, monitor: monitor).run(options)
  }

  /// Since when everything was read, and found whole, that was in the store at that time; nil when that never happened, or
  /// is not known any more. Nothing relies on it.
  public func lastVerified() -> SnapshotTime? {
    VerificationRecord(of: store).full.map { SnapshotTime($0) }
  }

  /// Reads the whole store and repairs what is damaged, from other copies in the store or from files of the folder that
  /// have the same content. Moves damaged files of the store aside and removes none.
  public func repair(monitor: any Monitor = SilentMonitor()) throws(RepositoryError) -> RepairSummary {
    try Repair(repository: self, monitor: monitor).run()
  }
}
