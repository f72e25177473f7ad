// The façade: what the command line and other programs call. Each operation is one file in its room; here are the doors.

/// A folder with its store.
public final class Repository: Sendable {
  /// The folder whose states are kept, absolute.
  public let folder: BytePath
  /// The store, absolute.
  public let storePath: BytePath

  init(stub: Int) { folder = BytePath(""); storePath = BytePath("") }

  /// Makes a store for `folder`. `compression`: `none`, `zlib[:1-9]` or `zstd[:1-19]`; nil for the standard.
  public static func create(
    folder: BytePath, options: OpenOptions = OpenOptions(), compression: String? = nil
  ) throws(RepositoryError) -> Repository { throw RepositoryError(.system, "stub") }

  /// Opens the store of `folder` or of the nearest folder above it. `.noStore` when there is none.
  public static func find(
    from folder: BytePath, options: OpenOptions = OpenOptions()
  ) throws(RepositoryError) -> Repository { throw RepositoryError(.system, "stub") }

  /// Records the whole folder.
  public func save(
    _ options: SaveOptions = SaveOptions(), monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> SaveSummary { throw RepositoryError(.system, "stub") }

  /// Records the bytes that can be read from a descriptor as a single value. `confirm` is called after the last byte;
  /// when it throws, nothing is recorded.
  public func saveValue(
    readingFrom descriptor: Int32, _ options: SaveOptions,
    confirm: () throws(RepositoryError) -> Void = {}
  ) throws(RepositoryError) -> SaveSummary { throw RepositoryError(.system, "stub") }

  /// Gives a snapshot that exists another name. Uses `name`, `noClobber`, `isDryRun` of the options.
  public func name(
    _ revision: String, _ options: SaveOptions
  ) throws(RepositoryError) -> SaveSummary { throw RepositoryError(.system, "stub") }

  /// Makes the folder what it was.
  public func restore(
    _ revision: String, _ options: RestoreOptions = RestoreOptions(),
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestoreSummary { throw RepositoryError(.system, "stub") }

  /// Writes a snapshot into a new or empty folder and leaves this one alone. Uses `paths` and `isDryRun` of the options.
  public func restore(
    _ revision: String, to destination: BytePath, _ options: RestoreOptions = RestoreOptions(),
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestoreSummary { throw RepositoryError(.system, "stub") }

  /// Finishes a restore that was interrupted.
  public func continueRestore(
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestoreSummary { throw RepositoryError(.system, "stub") }

  /// Takes back a restore that was interrupted.
  public func abortRestore(
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestoreSummary { throw RepositoryError(.system, "stub") }

  /// Writes a value, or the one file `path` of a snapshot, to a descriptor.
  public func write(
    _ revision: String, path: BytePath? = nil, to descriptor: Int32
  ) throws(RepositoryError) { throw RepositoryError(.system, "stub") }

  /// The states, sorted by the bytes of their names.
  public func states() throws(RepositoryError) -> [ListedState] { throw RepositoryError(.system, "stub") }

  /// The names of the states with the times of their snapshots are in `states`; this reads `refs` alone.
  public func stateNames() throws(RepositoryError) -> [String: SnapshotID] { throw RepositoryError(.system, "stub") }

  /// Removes names, all or none.
  public func delete(
    _ names: [String], isDryRun: Bool = false
  ) throws(RepositoryError) -> [DeletedState] { throw RepositoryError(.system, "stub") }

  /// The history, newest first.
  public func log(_ options: LogOptions = LogOptions()) throws(RepositoryError) -> [LogEntry] {
    throw RepositoryError(.system, "stub")
  }

  /// The snapshot that a text names.
  public func snapshot(_ revision: String) throws(RepositoryError) -> Snapshot {
    throw RepositoryError(.system, "stub")
  }

  /// Drops what nothing refers to.
  public func collectGarbage(
    isDryRun: Bool = false, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> GarbageSummary { throw RepositoryError(.system, "stub") }

  /// Checks what refers to what and, with `readData`, every byte.
  public func verify(
    readData: Bool = false, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> VerifyReport { throw RepositoryError(.system, "stub") }
}
