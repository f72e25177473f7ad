// The public interface of remotes. The code of each operation is in a file of its own.

internal import MementoObjects
internal import MementoStore
internal import MementoSystem

extension Repository {
  /// Adds a remote. Looks whether it can be reached; makes the repository there if there is none. The same name with the
  /// same URL again confirms a remote of a store that was copied. Throws `.invalidName`, `.nameInUse` when local names
  /// begin with `NAME/` or the name means another URL, `.unreachable`, `.denied` for a wrong secret, and `.damaged` when
  /// the repository there is not the one that this store has seen.
  public func addRemote(
    _ name: String, _ url: RemoteURL, _ options: RemoteAddOptions = RemoteAddOptions(), access: RemoteAccess,
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RemoteAddSummary {
    try RemoteAddition(repository: self, access: access, monitor: monitor).run(name, url, options)
  }

  /// The remotes, by name. Nothing is asked of them.
  public func remotes() throws(RepositoryError) -> [Remote] {
    try RemoteList(repository: self).run()
  }

  /// Forgets a remote and all that is known of it. What is there stays there. Throws `.noSuchRemote`.
  public func removeRemote(_ name: String, isDryRun: Bool = false) throws(RepositoryError) -> Remote {
    try RemoteList(repository: self).remove(name, isDryRun: isDryRun)
  }

  /// Looks whether a remote can be reached and opened, and is the one that this store knows. `name`: nil for the only one,
  /// or that of the config.
  public func checkRemote(
    _ name: String?, access: RemoteAccess, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RemoteAddSummary {
    try RemoteAddition(repository: self, access: access, monitor: monitor).check(name)
  }

  /// Begins to reach a remote, for an operation with the same access that follows soon: hold what this returns until that has
  /// ended. It asks nobody, and waits for nothing. What cannot be done ahead is left to that operation, which also says what
  /// fails. `remote`: nil for the only one, or that of the config. `monitor`: it can also end what is asked over the
  /// connection later.
  public func reachAhead(
    _ remote: String? = nil, access: RemoteAccess, monitor: any Monitor = SilentMonitor()
  ) -> RemoteAhead? {
    RemoteAhead(self, remote, access, monitor)
  }

  /// Brings states to a remote: what it lacks, then their names in one step. Deletes nothing there. Interrupted, it has
  /// changed no name, and the next push goes on after the last whole pack.
  public func push(
    _ options: PushOptions = PushOptions(), access: RemoteAccess, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> PushSummary {
    try PushOperation(repository: self, options: options, access: access, monitor: monitor).run()
  }

  /// Asks a remote which names it has. Their content stays there until it is needed.
  public func fetch(
    _ options: FetchOptions = FetchOptions(), access: RemoteAccess, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> FetchSummary {
    try FetchOperation(repository: self, options: options, access: access, monitor: monitor).run()
  }

  /// Fetches, brings the content here, and moves the names here. A name that was changed here and there stays as it is
  /// here. Deletes nothing, and the folder is not touched.
  public func pull(
    _ options: FetchOptions = FetchOptions(), access: RemoteAccess, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> FetchSummary {
    try PullOperation(repository: self, options: options, access: access, monitor: monitor).run()
  }

  /// The names of a remote as of the last fetch or push, in the order of their bytes. Nothing is asked of it.
  public func states(ofRemote name: String) throws(RepositoryError) -> [RemoteState] {
    try RemoteStateListing(repository: self).run(name)
  }

  /// How much of a snapshot is needed here.
  public struct RemoteNeed: Hashable, Sendable {
    enum Kind { case record, trees, lists, contents }
    let kind: Kind
    /// Its record: who, when, its message.
    public static let record = RemoteNeed(kind: .record)
    /// Its folders, for a listing or a comparison by names.
    public static let trees = RemoteNeed(kind: .trees)
    /// Its folders and the lists of chunks of large files: all but the contents of files.
    static let lists = RemoteNeed(kind: .lists)
    /// Everything.
    public static let contents = RemoteNeed(kind: .contents)
  }

  /// Brings a snapshot of a remote here, as far as it is needed, so that all other operations can use it. Does nothing, and
  /// asks nobody, when `revision` names no state of a remote or all that is needed is here. `paths`: only what is at these
  /// paths; empty for all.
  public func bring(
    _ revision: Revision, _ need: RemoteNeed, at paths: [BytePath] = [], access: RemoteAccess,
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) {
    try RemoteContent(repository: self, access: access, monitor: monitor).bring(revision, need, at: paths)
  }

  /// Writes a snapshot into a new or empty folder, also one of a remote: what is not here comes from there, and the contents
  /// of its files are not kept in the store. The folder of the repository does not change. When the remote fails, what was
  /// written so far stays in the new folder.
  @discardableResult
  public func restore(
    _ revision: Revision, to destination: BytePath, _ options: ExtractOptions = ExtractOptions(), access: RemoteAccess,
    monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> RestoreSummary {
    try RemoteContent(repository: self, access: access, monitor: monitor).restore(revision, to: destination, options)
  }

  /// Makes a working folder from a remote, which gets the name `origin`: a store with every name and its content, and the
  /// folder as it was at the newest push. Called again on the same folder, it goes on where it was. `asRecorded`: see
  /// `RestoreOptions`; without it, root gives no rights away that somebody else has recorded. Throws `.notEmpty` when the
  /// folder holds something else.
  public static func clone(
    _ url: RemoteURL, to folder: BytePath, options: OpenOptions = OpenOptions(), asRecorded: Bool = false,
    access: RemoteAccess, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> CloneSummary {
    try CloneOperation(
      url: url, folder: folder, options: options, asRecorded: asRecorded, access: access, monitor: monitor
    ).run()
  }

  /// Deletes a name of a remote: `REMOTE/NAME`. Throws `.noSuchState` when it has no such name.
  public func deleteRemoteStates(
    _ names: [String], isDryRun: Bool = false, access: RemoteAccess, monitor: any Monitor = SilentMonitor()
  ) throws(RepositoryError) -> [DeletedState] {
    try RemoteDeletion(repository: self, access: access, monitor: monitor).run(names, isDryRun: isDryRun)
  }
}
