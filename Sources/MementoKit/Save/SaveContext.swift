// The state that all workers of one walk share.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

final class SaveContext: Sendable {
  let store: Store
  let monitor: any Monitor
  let chunker: Chunker
  let cache: StatCache?
  let cacheWriter: StatCacheWriter?
  /// False: the content of a file is not read when the file certainly differs from the cache.
  let readsAll: Bool
  /// The device of the root. The walk enters other file systems only with `crossesMounts`.
  let device: UInt64
  let crossesMounts: Bool
  /// When the walk began, by the clock of the file system.
  let begun: Timestamp
  /// The rules for the top folder, before its own rule files are read.
  let filter: FolderFilter
  /// What is recorded although it is ignored; nil for nothing.
  let wanted: WantedPaths?
  /// The folder of the store, which is left out wherever it is in the tree.
  let storeIdentity: FileIdentity

  let links = LinkTracker()
  /// How the rebuilt directories differ from the cache.
  let noted = NotedDifferences()
  let problems = Mutex<[Problem]>([])
  let files = Atomic<Int>(0)
  /// The number of links, fifos and devices.
  let others = Atomic<Int>(0)
  let bytes = Atomic<UInt64>(0)
  let bytesRead = Atomic<UInt64>(0)
  /// The number of names that were ignored.
  let ignored = Atomic<Int>(0)
  /// The rule files that were read, by the path of their folder.
  let ruleFiles = Mutex<[[UInt8]: FolderRuleFiles]>([:])
  let result = Mutex<(tree: ObjectID, record: UInt64)?>(nil)
  private let rootRecordBox = Mutex<UInt64>(0)
  private let rootListedBox = Mutex(Timestamp.distantPast)
  private let restless = Atomic<Bool>(false)
  private let vanishedBox = Mutex<[VanishedEntry]>([])
  private let passedOverBox = Mutex<[UInt64]>([])
  private let growth: GrowthGuard?
  private let stopped = Atomic<Bool>(false)
  private let failureBox = Mutex<RepositoryError?>(nil)

  init(
    store: Store, monitor: any Monitor, cache: StatCache?, cacheWriter: StatCacheWriter?, root: FileStatus,
    storeIdentity: FileIdentity, rules: WalkRules, wanted: WantedPaths?, readsAll: Bool = true,
    growth: GrowthGuard? = nil, begun: Timestamp
  ) {
    self.growth = growth
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

  /// The time of change of the root just after it was listed.
  var rootListed: Timestamp {
    get { rootListedBox.withLock { $0 } }
    set { rootListedBox.withLock { $0 = newValue } }
  }

  /// Whether a directory may have changed since the walk began, judged by its time of change.
  func mayHideChanges(_ status: FileStatus) -> Bool {
    // Another file system may have coarser times. Two seconds are the coarsest granularity known (FAT).
    (status.device == device ? status.changed : status.changed.adding(seconds: 2)) >= begun
  }

  /// Notes the status that a directory had just after it was listed.
  func listed(_ status: FileStatus) {
    if mayHideChanges(status) { restless.store(true, ordering: .relaxed) }
  }

  /// Notes that a listed entry does not exist any more.
  func vanish(_ entry: VanishedEntry) {
    vanishedBox.withLock { $0.append(entry) }
  }

  /// Notes the inodes of entries that are not recorded: they were left out, or reported.
  func passOver(_ inodes: some Sequence<UInt64>) {
    passedOverBox.withLock { $0.append(contentsOf: inodes) }
  }

  var vanished: [VanishedEntry] { vanishedBox.withLock { $0 } }
  var passedOver: [UInt64] { passedOverBox.withLock { $0 } }
  /// Whether something moved during the walk, or may have moved.
  var isRestless: Bool { restless.load(ordering: .relaxed) || vanishedBox.withLock { !$0.isEmpty } }

  var failure: RepositoryError? { failureBox.withLock { $0 } }

  var isStopped: Bool {
    if stopped.load(ordering: .relaxed) { return true }
    guard monitor.isCancelled else { return false }
    fail(RepositoryError.cancelled)
    return true
  }

  /// Ends the walk. The first error counts.
  func fail(_ error: StoreError) {
    fail(RepositoryError(error))
  }

  func fail(_ error: RepositoryError) {
    failureBox.withLock { if $0 == nil { $0 = error } }
    stopped.store(true, ordering: .relaxed)
  }

  /// Notes a file that was met and not recorded, so that no other name becomes a hard link to it.
  func dropLink(_ name: [UInt8], of directory: DirectoryHandle) {
    links.drop(directory.path(of: name).bytes)
  }

  /// Reports a path that cannot be recorded. The walk goes on.
  func report(_ path: BytePath, _ message: String, isNote: Bool = false) {
    let problem = Problem(path: path, message: message, isNote: isNote)
    problems.withLock { $0.append(problem) }
    monitor.report(problem)
  }

  /// Counts an ignored name.
  func countIgnored() {
    ignored.add(1, ordering: .relaxed)
  }

  /// Keeps the rule files of a folder.
  func keep(_ files: FolderRuleFiles, of folder: [UInt8]) {
    ruleFiles.withLock { $0[folder] = files }
  }

  func count(_ status: FileStatus) {
    guard status.isRegular else {
      others.add(1, ordering: .relaxed)
      return
    }
    let files = files.add(1, ordering: .relaxed).newValue
    let bytes = bytes.wrappingAdd(status.size, ordering: .relaxed).newValue
    if let growth, let refusal = growth.check(files: files, bytes: bytes) { fail(refusal) }
  }

  /// Told of a large file before it is read: it may be too much.
  func foresee(_ status: FileStatus) {
    guard let growth else { return }
    let (bytes, overflow) = bytes.load(ordering: .relaxed).addingReportingOverflow(status.size)
    if let refusal = growth.check(files: files.load(ordering: .relaxed), bytes: overflow ? .max : bytes) {
      fail(refusal)
    }
  }

  /// Whether the cache can be trusted for this entry. The caller still compares the entry with it.
  func vouches(_ status: FileStatus, for content: EntryContent) -> Bool {
    guard let cache, status.changed < cache.safeBefore else { return false }
    // Another file system may have coarser times. Two seconds are the coarsest granularity known (FAT).
    if status.device != device, status.changed.adding(seconds: 2) >= cache.safeBefore { return false }
    if cache.coversPacks { return true }
    guard case .file(_, let content) = content else { return true }
    // A pack has been removed since the cache was written, so the content must be found in the store.
    return content.level == 0 || (content.level == 1 && store.index.hasIntactCopy(content.id))
  }
}
