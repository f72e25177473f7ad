// The workers that write files. One of them may plan at the same time and hand over what the others write.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// What all workers of one restore count and report.
final class WriteTally: Sendable {
  let monitor: any Monitor
  let problems: RestoreProblems
  let written = Atomic<UInt64>(0)
  /// The items of orders that could not be carried out; each was reported.
  let unmade = Mutex<Set<Int>>([])
  /// Files of several chunks that are open now.
  let openParts = Atomic<Int>(0)
  private let failure = Mutex<RepositoryError?>(nil)

  init(_ monitor: any Monitor, _ problems: RestoreProblems) {
    self.monitor = monitor
    self.problems = problems
  }

  /// Throws what ended the work, if anything did.
  func check() throws(RepositoryError) {
    if let failure = failure.withLock({ $0 }) { throw failure }
    if monitor.isCancelled { throw .cancelled }
  }

  /// Runs `body` unless the work has ended; the first failure ends it.
  func perform(_ body: () throws(RepositoryError) -> Void) {
    do throws(RepositoryError) {
      try check()
      try body()
    } catch {
      failure.withLock { if $0 == nil { $0 = error } }
    }
  }
}

final class WriteCrew: Sendable {
  private enum Task: Sendable {
    case plan
    case write(FileWriter, Range<Int>)
  }

  /// Runs that wait, at most: then the planner writes, too, and memory stays bounded.
  private static let backlog = 256

  private let tally: WriteTally
  private let stack = WorkStack<Task>()
  private let readers: [ReaderBox]
  private let waiting = Atomic<Int>(0)

  init(_ tally: WriteTally, store: Store) {
    self.tally = tally
    readers = (0..<Host.processorCount()).map { _ in ReaderBox(store.blobReader()) }
  }

  /// Calls `plan` on one worker; what it hands over with its argument is written by all.
  func run(_ plan: @Sendable (_ add: (FileWriter) -> Void) throws(RepositoryError) -> Void) throws(RepositoryError) {
    stack.push(CollectionOfOne(.plan))
    stack.run(workers: readers.count) { worker, task in
      switch task {
      case .plan:
        self.tally.perform { () throws(RepositoryError) in try plan { self.add($0, worker) } }
      case .write(let writer, let run):
        self.write(writer, run, worker)
        self.waiting.subtract(1, ordering: .relaxed)
      }
    }
    try tally.check()
  }

  private func add(_ writer: FileWriter, _ worker: Int) {
    writer.makeWithoutData()
    let runs = writer.runs
    if waiting.load(ordering: .relaxed) > WriteCrew.backlog {
      for run in runs { write(writer, run, worker) }
    } else {
      waiting.add(runs.count, ordering: .relaxed)
      stack.push(runs.reversed().map { .write(writer, $0) })
    }
  }

  private func write(_ writer: FileWriter, _ run: Range<Int>, _ worker: Int) {
    tally.perform { () throws(RepositoryError) in
      try readers[worker].reader.withLock { (reader) throws(RepositoryError) in try writer.write(run, &reader) }
    }
  }
}

/// A reader that workers can be given by number.
private final class ReaderBox: Sendable {
  let reader: Mutex<BlobReader>

  init(_ reader: consuming sending BlobReader) {
    self.reader = Mutex(reader)
  }
}
