// The façade: what the command line and other programs call. Each operation stands in a room of its own; here are the
// doors.

internal import MementoStore

extension Repository {
  /// Makes a store for `folder`. `compression`: `none`, `zlib[:1-9]` or `zstd[:1-19]`; nil for the standard.
  public static func create(
    folder: BytePath, options: OpenOptions = OpenOptions(), compression: String? = nil
  ) throws(RepositoryError) -> Repository {
    try StoreFinder(options).create(folder, compression: compression)
  }

  /// Opens the store of `folder` or of the nearest folder above it. `.noStore` when there is none.
  public static func find(
    from folder: BytePath, options: OpenOptions = OpenOptions()
  ) throws(RepositoryError) -> Repository {
    try StoreFinder(options).find(from: folder)
  }

  /// Records the whole folder.
  @discardableResult
  public func save(
    _ options: SaveOptions = SaveOptions(), monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> SaveSummary {
    try SaveOperation(repository: self, options: options, monitor: monitor).run()
  }

  /// Records the bytes that can be read from a descriptor as a single value. `confirm` is called after the last byte;
  /// when it throws, nothing is recorded.
  public func saveValue(
    readingFrom descriptor: Int32, _ options: SaveOptions, confirm: () throws(RepositoryError) -> Void = {}
  ) throws(RepositoryError) -> SaveSummary {
    try ValueSave(repository: self, options: options).run(reading: descriptor, confirm: confirm)
  }

  /// Gives a snapshot that exists another name. Uses `name`, `noClobber`, `isDryRun` of the options.
  public func name(_ revision: String, _ options: SaveOptions) throws(RepositoryError) -> SaveSummary {
    try NameOperation(repository: self, options: options).run(revision)
  }

  /// Makes the folder what it was.
  @discardableResult
  public func restore(
    _ revision: String, _ options: RestoreOptions = RestoreOptions(), monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestoreSummary {
    try RestoreOperation(repository: self, options: options, monitor: monitor).run(revision)
  }

  /// Writes a snapshot into a new or empty folder and leaves this one alone. Uses `paths` and `isDryRun` of the options.
  @discardableResult
  public func restore(
    _ revision: String, to destination: BytePath, _ options: RestoreOptions = RestoreOptions(),
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestoreSummary {
    try ExtractOperation(repository: self, options: options, monitor: monitor).run(revision, to: destination)
  }

  /// Goes back on the timeline. Unsaved changes are saved first, as a step of their own.
  @discardableResult
  public func undo(
    _ steps: Int = 1, isDryRun: Bool = false, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> MoveSummary {
    try TimelineMove(repository: self, isDryRun: isDryRun, monitor: monitor).undo(steps)
  }

  /// Goes forward on the timeline, to what was undone.
  @discardableResult
  public func redo(
    _ steps: Int = 1, isDryRun: Bool = false, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> MoveSummary {
    try TimelineMove(repository: self, isDryRun: isDryRun, monitor: monitor).redo(steps)
  }

  /// What changed in the folder since the position; in these paths, relative to the folder, or with none in all of it.
  public func status(
    of paths: [BytePath] = [], monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> StatusSummary {
    try FolderStatus(repository: self, monitor: monitor, paths: paths).run()
  }

  /// What differs between two snapshots, or between one and the folder as it is.
  public func diff(
    _ options: DiffOptions = DiffOptions(), monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> Comparison {
    try CompareOperation(repository: self, monitor: monitor).run(options)
  }

  /// Finishes a restore that was interrupted.
  public func continueRestore(monitor: any Monitor = SilentMonitor()) throws(RepositoryError) -> RestoreSummary {
    try RestoreRecovery(repository: self, monitor: monitor).run(.forward)
  }

  /// Takes back a restore that was interrupted.
  public func abortRestore(monitor: any Monitor = SilentMonitor()) throws(RepositoryError) -> RestoreSummary {
    try RestoreRecovery(repository: self, monitor: monitor).run(.back)
  }

  /// A snapshot, its names, and what it changed.
  public func details(of revision: String) throws(RepositoryError) -> SnapshotDetails {
    try SnapshotInspection(repository: self).run(revision)
  }

  /// What a path is in the snapshot of a folder; the folder itself for an empty path.
  public func entry(_ revision: String, path: BytePath) throws(RepositoryError) -> FileEntry {
    let (_, record) = try RevisionResolver(self, try readRefs()).resolve(revision)
    return try SnapshotTree(self, revision, record).entry(path)
  }

  /// Calls `visit` with each entry of a folder in a snapshot, or of all folders in it: the path from there, and what it is.
  /// The errors of `visit` come back as a result.
  public func list<Failure: Error>(
    _ revision: String, path: BytePath = BytePath(""), isRecursive: Bool = false,
    _ visit: (BytePath, FileEntry) throws(Failure) -> Void
  ) throws(RepositoryError) -> Result<Void, Failure> {
    let (_, record) = try RevisionResolver(self, try readRefs()).resolve(revision)
    return try SnapshotTree(self, revision, record).list(path, isRecursive: isRecursive, visit)
  }

  /// A reader for a value, or for the one file `path` of a snapshot.
  public func content(of revision: String, path: BytePath? = nil) throws(RepositoryError) -> ContentReader {
    try ContentOutput(repository: self).open(revision, path: path)
  }

  /// Writes a value, or the one file `path` of a snapshot, to a descriptor.
  public func write(_ revision: String, path: BytePath? = nil, to descriptor: Int32) throws(RepositoryError) {
    try ContentOutput(repository: self).run(revision, path: path, to: descriptor)
  }

  /// The states, sorted by the bytes of their names.
  public func states() throws(RepositoryError) -> [ListedState] {
    try History(self).states()
  }

  /// The names of the states and what they mean; reads `refs` alone.
  public func stateNames() throws(RepositoryError) -> [String: SnapshotID] {
    let refs = try readRefs()
    return Dictionary(uniqueKeysWithValues: refs.states.map { ($0.name, SnapshotID($0.snapshot)) })
  }

  /// Removes names, all or none.
  public func delete(_ names: [String], isDryRun: Bool = false) throws(RepositoryError) -> [DeletedState] {
    try DeleteOperation(repository: self).run(names, isDryRun: isDryRun)
  }

  /// The history, newest first.
  public func log(_ options: LogOptions = LogOptions()) throws(RepositoryError) -> [LogEntry] {
    try History(self).log(options)
  }

  /// The snapshot that a text names.
  public func snapshot(_ revision: String) throws(RepositoryError) -> Snapshot {
    let (id, record) = try RevisionResolver(self, try readRefs()).resolve(revision)
    return Snapshot(id, record)
  }

  /// Drops what nothing refers to.
  public func collectGarbage(
    isDryRun: Bool = false, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> GarbageSummary {
    try GarbageCollection(repository: self, monitor: monitor).run(isDryRun: isDryRun)
  }

  /// Checks what refers to what and, with `readData`, every byte.
  public func verify(
    readData: Bool = false, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> VerifyReport {
    try Verification(repository: self, monitor: monitor).run(readData: readData)
  }
}
