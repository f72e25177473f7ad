// What all workers of one walk share.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

final class SaveContext: Sendable {
  let store: Store
  let monitor: any Monitor
  let chunker: Chunker
  let cache: StatCache?
  let cacheWriter: StatCacheWriter?
  /// False: what a file holds does not matter when it cannot be what the cache knew.
  let readsAll: Bool
  /// The device of the root: other file systems are not entered, unless `crossesMounts`.
  let device: UInt64
  let crossesMounts: Bool
  /// When the walk began, by the clock of the file system.
  let begun: Timestamp
  /// What is left out of the top folder, before its own rules are read.
  let filter: FolderFilter
  /// What is recorded although it is ignored; nil: nothing.
  let wanted: WantedPaths?
  /// The store itself, wherever it shows up in the tree.
  let storeIdentity: FileIdentity

  let links = LinkTracker()
  /// How the directories that were rebuilt differ from what the cache knew.
  let noted = NotedDifferences()
  let problems = Mutex<[Problem]>([])
  let files = Atomic<Int>(0)
  /// What is neither a file nor a folder.
  let others = Atomic<Int>(0)
  let bytes = Atomic<UInt64>(0)
  let bytesRead = Atomic<UInt64>(0)
  /// How many names were ignored.
  let ignored = Atomic<Int>(0)
  /// The rule files that were read, by the path of their folder.
  let ruleFiles = Mutex<[[UInt8]: FolderRuleFiles]>([:])
  let result = Mutex<(tree: ObjectID, record: UInt64)?>(nil)
  private let rootRecordBox = Mutex<UInt64>(0)
  private let rootListedBox = Mutex(Timestamp.distantPast)
  private let restless = Atomic<Bool>(false)
  private let vanishedBox = Mutex<[VanishedEntry]>([])
  private let passedOverBox = Mutex<[UInt64]>([])
  private let stopped = Atomic<Bool>(false)
  private let failureBox = Mutex<RepositoryError?>(nil)

  init(
    store: Store, monitor: any Monitor, cache: StatCache?, cacheWriter: StatCacheWriter?, root: FileStatus,
    storeIdentity: FileIdentity, rules: WalkRules, wanted: WantedPaths?, readsAll: Bool = true,
    begun: Timestamp
  ) {
    self.begun = begun
    self.store = store
    self.monitor = monitor
    self.cache = cache
    self.cacheWriter = cacheWriter
    chunker = Chunker(sizes: store.config.chunkSizes)
    device = root.device
    self.storeIdentity = storeIdentity
    crossesMounts = rules.current.options.crossesMounts
    filter = FolderFilter(rules.current, kept: rules.kept)
    self.wanted = wanted
    self.readsAll = readsAll
  }

  var rootRecord: UInt64 {
    get { rootRecordBox.withLock { $0 } }
    set { rootRecordBox.withLock { $0 = newValue } }
  }

  /// When the root had changed last after it was listed.
  var rootListed: Timestamp {
    get { rootListedBox.withLock { $0 } }
    set { rootListedBox.withLock { $0 = newValue } }
  }

  /// Whether a directory of this status may have changed since the walk began, by its time.
  func mayHideChanges(_ status: FileStatus) -> Bool {
    // Another file system may be coarse in its times: two seconds are the worst known (FAT).
    (status.device == device ? status.changed : status.changed.adding(seconds: 2)) >= begun
  }

  /// A directory was listed, and has this status after it.
  func listed(_ status: FileStatus) {
    if mayHideChanges(status) { restless.store(true, ordering: .relaxed) }
  }

  /// An entry was listed, and is not there.
  func vanish(_ entry: VanishedEntry) {
    vanishedBox.withLock { $0.append(entry) }
  }

  /// These inodes are not recorded: they are left out, or reported.
  func passOver(_ inodes: some Sequence<UInt64>) {
    passedOverBox.withLock { $0.append(contentsOf: inodes) }
  }

  var vanished: [VanishedEntry] { vanishedBox.withLock { $0 } }
  var passedOver: [UInt64] { passedOverBox.withLock { $0 } }
  /// Something moved during the walk, or may have.
  var isRestless: Bool { restless.load(ordering: .relaxed) || vanishedBox.withLock { !$0.isEmpty } }

  var failure: RepositoryError? { failureBox.withLock { $0 } }

  var isStopped: Bool {
    if stopped.load(ordering: .relaxed) { return true }
    guard monitor.isCancelled else { return false }
    fail(RepositoryError.cancelled)
    return true
  }

  /// Ends the walk; the first reason counts.
  func fail(_ error: StoreError) {
    fail(RepositoryError(error))
  }

  func fail(_ error: RepositoryError) {
    failureBox.withLock { if $0 == nil { $0 = error } }
    stopped.store(true, ordering: .relaxed)
  }

  /// A file that was met and is not recorded: no other name is a link to it.
  func dropLink(_ name: [UInt8], of directory: DirectoryHandle) {
    links.drop(directory.path(of: name).bytes)
  }

  /// A path that cannot be recorded; the walk goes on.
  func report(_ path: BytePath, _ message: String, isNote: Bool = false) {
    let problem = Problem(path: path, message: message, isNote: isNote)
    problems.withLock { $0.append(problem) }
    monitor.report(problem)
  }

  /// A name that is left out.
  func countIgnored() {
    ignored.add(1, ordering: .relaxed)
  }

  /// The rule files of a folder, which count.
  func keep(_ files: FolderRuleFiles, of folder: [UInt8]) {
    ruleFiles.withLock { $0[folder] = files }
  }

  func count(_ status: FileStatus) {
    guard status.isRegular else {
      others.add(1, ordering: .relaxed)
      return
    }
    files.add(1, ordering: .relaxed)
    bytes.add(status.size, ordering: .relaxed)
  }

  /// Whether the cache may be believed for this entry, apart from comparing it.
  func vouches(_ status: FileStatus, for content: EntryContent) -> Bool {
    guard let cache, status.changed < cache.safeBefore else { return false }
    // Another file system may be coarse in its times: two seconds are the worst known (FAT).
    if status.device != device, status.changed.adding(seconds: 2) >= cache.safeBefore { return false }
    if cache.coversPacks { return true }
    guard case .file(_, let content) = content else { return true }
    // A pack has gone since: only what is certainly there counts.
    return content.level == 0 || (content.level == 1 && store.index.holdsSafely(content.id))
  }
}
