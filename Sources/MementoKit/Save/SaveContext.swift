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
  /// The device of the root: other file systems are not entered.
  let device: UInt64
  /// The store itself, wherever it shows up in the tree.
  let storeIdentity: FileIdentity

  let links = LinkTracker()
  let problems = Mutex<[Problem]>([])
  let files = Atomic<Int>(0)
  let bytes = Atomic<UInt64>(0)
  let bytesRead = Atomic<UInt64>(0)
  let result = Mutex<(tree: ObjectID, record: UInt64)?>(nil)
  private let rootRecordBox = Mutex<UInt64>(0)
  private let stopped = Atomic<Bool>(false)
  private let failureBox = Mutex<RepositoryError?>(nil)

  init(
    store: Store, monitor: any Monitor, cache: StatCache?, cacheWriter: StatCacheWriter?, root: FileStatus,
    storeIdentity: FileIdentity
  ) {
    self.store = store
    self.monitor = monitor
    self.cache = cache
    self.cacheWriter = cacheWriter
    chunker = Chunker(sizes: store.config.chunkSizes)
    device = root.device
    self.storeIdentity = storeIdentity
  }

  var rootRecord: UInt64 {
    get { rootRecordBox.withLock { $0 } }
    set { rootRecordBox.withLock { $0 = newValue } }
  }

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

  /// A path that cannot be recorded; the walk goes on.
  func report(_ path: BytePath, _ message: String, isNote: Bool = false) {
    let problem = Problem(path: path, message: message, isNote: isNote)
    problems.withLock { $0.append(problem) }
    monitor.report(problem)
  }

  func count(_ status: FileStatus) {
    guard status.isRegular else { return }
    files.add(1, ordering: .relaxed)
    bytes.add(status.size, ordering: .relaxed)
  }

  /// Whether the cache may be believed for this entry, apart from comparing it.
  func vouches(_ status: FileStatus, for entry: TreeEntry) -> Bool {
    guard let cache, status.changed < cache.safeBefore else { return false }
    if cache.coversPacks { return true }
    guard case .file(_, let content) = entry.content else { return true }
    // A pack has gone since: only what is certainly there counts.
    return content.level == 0 || (content.level == 1 && store.index.holdsSafely(content.id))
  }
}
