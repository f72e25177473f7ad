// The façade: what the command line and other programs call. Each operation stands in a room of its own; here are the
// doors.

internal import MementoStore
internal import MementoSystem

extension Repository {
  /// Makes a store for `folder`. `compression`: `none`, `zlib[:1-9]` or `zstd[:1-19]`; nil for the standard.
  public static func create(
    folder: BytePath, options: OpenOptions = OpenOptions(), compression: String? = nil
  ) throws(RepositoryError) -> Repository {
    try StoreMaker(options).create(folder, compression: compression)
  }

  /// Opens the store of `folder` itself; makes the folder and the store where they are missing.
  public static func openOrCreate(
    folder: BytePath, options: OpenOptions = OpenOptions()
  ) throws(RepositoryError) -> Repository {
    try StoreFinder(options).openOrCreate(folder)
  }

  /// Opens the store of `folder` or of the nearest folder above it. `.noStore` when there is none. Whether the folder of that
  /// store may be used from `folder`, the result says: `isAttached`.
  public static func find(
    from folder: BytePath, options: OpenOptions = OpenOptions()
  ) throws(RepositoryError) -> Repository {
    try StoreFinder(options).find(from: folder)
  }

  /// Gives `body` a repository for a folder that has no store yet, for finding out what a first save would do. Nothing is
  /// kept of it. `scratch`: a folder for temporary files.
  public static func withScratchStore<Result>(
    for folder: BytePath, in scratch: BytePath, options: OpenOptions = OpenOptions(),
    _ body: (Repository) throws -> Result
  ) throws -> Result {
    try StoreMaker(options).withScratchStore(for: folder, in: scratch, body)
  }

  /// Records the whole folder.
  @discardableResult
  public func save(
    _ options: SaveOptions = SaveOptions(), monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> SaveSummary {
    try prepareFolder(isDryRun: options.isDryRun)
    return try SaveOperation(repository: self, options: options, monitor: monitor).run()
  }

  /// Records the bytes that can be read from a descriptor as a single value. `confirm` is called after the last byte;
  /// when it throws, nothing is recorded. `monitor` hears of the bytes that were stored. It can cancel between two reads: a
  /// read that waits for a pipe ends first.
  public func saveValue(
    readingFrom descriptor: Int32, as name: String, _ options: ValueOptions = ValueOptions(),
    monitor: any Monitor = SilentMonitor(), confirm: () throws(RepositoryError) -> Void = {}
  ) throws(RepositoryError) -> SaveSummary {
    leavePointer(isDryRun: options.isDryRun)
    return try ValueSave(repository: self, name: name, options: options, monitor: monitor)
      .run(reading: descriptor, confirm: confirm)
  }

  /// Records values under their names and takes other names away, in one commit: all of it or nothing. `monitor` hears of
  /// the bytes of large values, and can cancel.
  @discardableResult
  public func saveValues(
    _ values: [NamedValue], deleting names: [String] = [], monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> [Snapshot] {
    leavePointer()
    return try ValueBatch(repository: self, monitor: monitor).run(values, deleting: names)
  }

  /// What a state holds; nil when there is no such state.
  public func content(ofState name: String) throws(RepositoryError) -> StateContent? {
    try StateReader(repository: self).run(name)
  }

  /// Gives a snapshot that exists another name.
  @discardableResult
  public func name(
    _ revision: Revision, as name: String, _ options: NamingOptions = NamingOptions()
  ) throws(RepositoryError) -> SaveSummary {
    leavePointer(isDryRun: options.isDryRun)
    return try NameOperation(repository: self, name: name, options: options).run(revision)
  }

  /// Makes the folder what it was.
  @discardableResult
  public func restore(
    _ revision: Revision, _ options: RestoreOptions = RestoreOptions(), monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestoreSummary {
    try prepareFolder(isDryRun: options.isDryRun)
    return try RestoreOperation(repository: self, options: options, monitor: monitor).run(revision)
  }

  /// Writes a snapshot into a new or empty folder and leaves this one alone.
  @discardableResult
  public func restore(
    _ revision: Revision, to destination: BytePath, _ options: ExtractOptions = ExtractOptions(),
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestoreSummary {
    try ExtractOperation(repository: self, options: options, monitor: monitor).run(revision, to: destination)
  }

  /// Goes back on the timeline. Unsaved changes are saved first, as a step of their own. The restore of paths is undone in
  /// these paths alone: unsaved changes elsewhere stay, and stay unsaved. `keeping`: patterns in gitignore's grammar; what
  /// they match is left as it is, and counts as no change. `asRecorded`: see `RestoreOptions`.
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

  /// Goes forward on the timeline, to what was undone. `keeping`: as for `undo`. `asRecorded`: see `RestoreOptions`.
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

  /// What changed in the folder since the position.
  public func status(
    _ options: StatusOptions = StatusOptions(), monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> StatusSummary {
    _ = try root
    try checkConfig()
    return try withoutWaiting { () throws(RepositoryError) in
      try FolderStatus(repository: self, options: options, monitor: monitor).run()
    }
  }

  /// Which rule decides about each of these paths, relative to the folder; nil where none does. A path with a slash at its
  /// end that is not there is taken for a folder.
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

  /// What differs between two snapshots, or between one and the folder as it is.
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

  /// Finishes a restore that was interrupted. `asRecorded`: see `RestoreOptions`.
  public func continueRestore(
    asRecorded: Bool = false, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestoreSummary {
    try prepareFolder(isDryRun: false)
    return try RestoreRecovery(repository: self, asRecorded: asRecorded, monitor: monitor).run(.forward)
  }

  /// Takes back a restore that was interrupted. `asRecorded`: see `RestoreOptions`.
  public func abortRestore(
    asRecorded: Bool = false, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestoreSummary {
    try prepareFolder(isDryRun: false)
    return try RestoreRecovery(repository: self, asRecorded: asRecorded, monitor: monitor).run(.back)
  }

  /// A snapshot, its names, and what it changed.
  public func details(of revision: Revision) throws(RepositoryError) -> SnapshotDetails {
    try withoutWaiting { () throws(RepositoryError) in try SnapshotInspection(repository: self).run(revision) }
  }

  /// What a path is in the snapshot of a folder; the folder itself for an empty path.
  public func entry(_ revision: Revision, path: BytePath) throws(RepositoryError) -> FileEntry {
    let record = try RevisionResolver(self, try readRefs()).resolve(revision).record
    return try SnapshotTree(self, revision, record).entry(path)
  }

  /// The entries of a folder in a snapshot, or of all folders in it: they are read one by one, as `next()` asks for them.
  public func entries(
    _ revision: Revision, path: BytePath = BytePath(""), isRecursive: Bool = false
  ) throws(RepositoryError) -> SnapshotEntries {
    let record = try RevisionResolver(self, try readRefs()).resolve(revision).record
    return try SnapshotTree(self, revision, record).entries(path, isRecursive: isRecursive)
  }

  /// A reader for a value, or for the one file `path` of a snapshot.
  public func content(of revision: Revision, path: BytePath? = nil) throws(RepositoryError) -> ContentReader {
    try ContentOutput(repository: self).open(revision, path: path)
  }

  /// Writes a value, or the one file `path` of a snapshot, to a descriptor.
  public func write(_ revision: Revision, path: BytePath? = nil, to descriptor: Int32) throws(RepositoryError) {
    try ContentOutput(repository: self).run(revision, path: path, to: descriptor)
  }

  /// The states, sorted by the bytes of their names. One whose snapshot cannot be read says why.
  public func states() throws(RepositoryError) -> [ListedState] {
    let states = try withoutWaiting { () throws(RepositoryError) in try StateListing(repository: self).run() }
    if states.allSatisfy({ $0.problem == nil }) { return states }
    // Another process may have deleted and collected it meanwhile: only what is missing under the lock, too, is damaged.
    return try runHolding(try lockForReading()) { () throws(RepositoryError) in try StateListing(repository: self).run() }
  }

  /// The names of the states and what they mean; reads `refs` alone.
  public func stateNames() throws(RepositoryError) -> [String: SnapshotID] {
    let refs = try readRefs()
    // Names that differ only by normal form are one to a dictionary; no save makes them, but a forged store may have them.
    return Dictionary(refs.states.map { ($0.name, SnapshotID($0.snapshot)) }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether there is a state of that name; reads `refs` alone.
  public func hasState(_ name: String) throws(RepositoryError) -> Bool {
    try readRefs()[name] != nil
  }

  /// Removes names, all or none.
  public func delete(_ names: [String], isDryRun: Bool = false) throws(RepositoryError) -> [DeletedState] {
    leavePointer(isDryRun: isDryRun)
    return try DeleteOperation(repository: self).run(names, isDryRun: isDryRun)
  }

  /// Gives a state another name; its history comes along. `.nameInUse` when there is such a state, unless `force`d: then
  /// that loses its name.
  @discardableResult
  public func rename(
    _ old: String, to new: String, force: Bool = false, isDryRun: Bool = false
  ) throws(RepositoryError) -> RenamedState {
    leavePointer(isDryRun: isDryRun)
    return try RenameOperation(repository: self, force: force).run(old, to: new, isDryRun: isDryRun)
  }

  /// The history, newest first.
  public func log(_ options: LogOptions = LogOptions()) throws(RepositoryError) -> [LogEntry] {
    try withoutWaiting { () throws(RepositoryError) in try SnapshotHistory(self).log(options) }
  }

  /// The snapshot that a text names.
  public func snapshot(_ revision: Revision) throws(RepositoryError) -> Snapshot {
    try withoutWaiting { () throws(RepositoryError) in
      Snapshot(try RevisionResolver(self, try readRefs()).resolve(revision))
    }
  }

  /// How many entries differ between two snapshots of the folder.
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

  /// Drops what nothing refers to. Deleted states, replaced ones and undone steps stay for 14 days, unless `emptyingTrash`.
  public func collectGarbage(
    isDryRun: Bool = false, emptyingTrash: Bool = false, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> GarbageSummary {
    try GarbageCollection(repository: self, monitor: monitor).run(isDryRun: isDryRun, emptyingTrash: emptyingTrash)
  }

  /// Checks what refers to what and, with `readData`, every byte.
  public func verify(
    readData: Bool = false, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> VerifyReport {
    try Verification(repository: self, monitor: monitor).run(readData: readData)
  }

  /// Reads everything, and makes whole again what is damaged and can still be had: from another copy in the store, or from
  /// files of the folder that have the same content. Damaged files of the store are put aside, none is removed.
  public func repair(monitor: any Monitor = SilentMonitor()) throws(RepositoryError) -> RepairSummary {
    try Repair(repository: self, monitor: monitor).run()
  }
}
