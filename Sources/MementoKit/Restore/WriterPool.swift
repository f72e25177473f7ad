// The workers that write files. One worker may make the plan at the same time and hand over what the others write.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

final class WriterPool: Sendable {
  private enum Task: Sendable {
    case plan
    case write(FileWriter, Range<Int>)
    case share(FileWriter, Range<Int>)
  }

  /// When more chunks than this wait to be written, the planning worker writes, too. This bounds the memory.
  private static let backlog = max(16_384, 4096 * Host.processorCount())

  private let progress: WriteProgress
  private let stack = WorkStack<Task>()
  private let readers: [WorkerReader]
  /// Readers of what is not in the store; none where all is.
  private let distantReaders: [WorkerReader]
  /// How many chunks wait to be written.
  private let waiting = Atomic<Int>(0)

  /// `distant`: where the contents are that the store does not have.
  init(_ progress: WriteProgress, store: Store, besides distant: DistantContents? = nil) {
    self.progress = progress
    let count = distant == nil ? Host.processorCount() : DistantContents.mostReaders
    readers = (0..<count).map { _ in WorkerReader(store.blobReader()) }
    distantReaders =
      distant.map { distant in (0..<count).map { _ in WorkerReader(distant.store.blobReader()) } } ?? []
  }

  /// Calls `plan` on one worker. All workers write what `plan` hands over through its argument.
  func run(_ plan: @Sendable (_ handOn: @escaping (FileWriter) -> Void) throws(RepositoryError) -> Void)
    throws(RepositoryError)
  {
    stack.push(CollectionOfOne(.plan))
    stack.run(workers: readers.count) { worker, task in
      switch task {
      case .plan:
        self.progress.perform { () throws(RepositoryError) in try plan { self.add($0, worker) } }
      case .write(let writer, let run):
        self.write(writer, run, worker)
        self.waiting.subtract(writer.chunkCount(of: run), ordering: .relaxed)
      case .share(let writer, let run):
        self.progress.perform { () throws(RepositoryError) in try writer.share(run) }
      }
    }
    try progress.check()
  }

  private func add(_ writer: FileWriter, _ worker: Int) {
    writer.makeWithoutData()
    var runs = writer.runs[...]
    while waiting.load(ordering: .relaxed) > WriterPool.backlog, let run = runs.popFirst() {
      write(writer, run, worker)
    }
    waiting.add(runs.reduce(0) { $0 + writer.chunkCount(of: $1) }, ordering: .relaxed)
    stack.push(runs.reversed().map { .write(writer, $0) } + writer.shareableRuns.map { .share(writer, $0) })
  }

  private func write(_ writer: FileWriter, _ run: Range<Int>, _ worker: Int) {
    progress.perform { () throws(RepositoryError) in
      try (writer.isDistant ? distantReaders : readers)[worker].blobs.withLock { (reader) throws(RepositoryError) in
        try writer.write(run, &reader)
      }
    }
  }
}
