// Stores the bytes of values, large ones on all cores.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// Used by one thread; its workers are inside `save`.
struct ValueContent {
  /// For what is written by one thread: records, and values of one window.
  let writer: ObjectWriter
  private let sink: ObjectSink
  private let store: Store
  private let monitor: any Monitor
  private let chunker: Chunker

  init(_ sink: ObjectSink, store: Store, monitor: any Monitor) {
    self.sink = sink
    self.store = store
    self.monitor = monitor
    chunker = Chunker(sizes: store.config.chunkSizes)
    writer = ObjectWriter(sink, store: store, notesKnown: true)
  }

  /// Stores bytes in memory.
  func save(_ bytes: [UInt8]) throws(RepositoryError) -> SizedContent {
    try bytes.withUnsafeBufferPointer { (bytes) throws(RepositoryError) in
      try save(MemorySource(UnsafeRawBufferPointer(bytes)), isLarge: bytes.count > writer.window)
    }
  }

  /// Stores what can be read from a descriptor of the caller, up to its end.
  func save(readingFrom descriptor: Int32) throws(RepositoryError) -> SizedContent {
    try save(StreamSource(StreamInput(descriptor)), isLarge: true)
  }

  /// Stores all of a source. `isLarge`: false for a content of one window, which one worker saves quicker than several.
  func save(_ source: some ByteSource, isLarge: Bool) throws(RepositoryError) -> SizedContent {
    do throws(ReadFailure) {
      if !isLarge { return try ContentCutter(source, chunker: chunker).save(to: writer) }
      return try save(ContentSaver(source, chunker: chunker))
    } catch {
      switch error {
      case .store(let error): throw RepositoryError(error)
      case .source(let error):
        throw RepositoryError(.system, "cannot read the value: \(error)", systemError: error.code)
      }
    }
  }

  private func save(_ content: ContentSaver<some ByteSource>) throws(ReadFailure) -> SizedContent {
    // Other workers are started when the first window was not all.
    let isStopped = { @Sendable in monitor.isCancelled }
    let progress = { @Sendable (length: UInt64) in monitor.advance(files: 0, bytes: length) }
    if let found = try content.work(writer, atMost: 1, isStopped: isStopped, progress: progress) { return found }
    let others = (1..<max(1, Host.processorCount())).map { _ in ObjectWriter(sink, store: store) }
    let outcome = Mutex<Result<SizedContent, ReadFailure>?>(nil)
    let hasFailed = Atomic<Bool>(false)
    let stack = WorkStack<Int>()
    stack.push(0...others.count)
    stack.run(workers: others.count + 1) { worker, _ in
      do throws(ReadFailure) {
        let found = try content.work(
          worker == 0 ? writer : others[worker - 1],
          isStopped: { hasFailed.load(ordering: .relaxed) || isStopped() }, progress: progress)
        if let found { outcome.withLock { $0 = .success(found) } }
      } catch {
        hasFailed.store(true, ordering: .relaxed)
        outcome.withLock { if $0 == nil { $0 = .failure(error) } }
      }
    }
    // Without an outcome all workers have heard that they are to stop.
    guard let outcome = outcome.withLock({ $0 }) else { throw .store(.cancelled) }
    let found = try outcome.get()
    for other in others { try ReadFailure.onStore { () throws(StoreError) in try other.flush() } }
    return found
  }
}
