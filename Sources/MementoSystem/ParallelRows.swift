// Spreads work on many things over the cores, a row of neighbours at a time.

internal import Synchronization

package enum ParallelRows {
  /// Calls `body` with ranges of 0..<count, of at most `length`, on all cores. It returns a result for each number of its
  /// range. Returns all of them in order. With one range, no thread is started.
  package static func map<Result: Sendable>(
    _ count: Int, rowsOf length: Int, _ body: @Sendable (Range<Int>) -> [Result]
  ) -> [Result] {
    if count <= length { return count == 0 ? [] : body(0..<count) }
    let starts = Array(stride(from: 0, to: count, by: length))
    let done = Mutex<[Int: [Result]]>([:])
    let stack = WorkStack<Range<Int>>()
    stack.push(starts.reversed().map { $0..<min($0 + length, count) })
    stack.run(workers: min(Host.processorCount(), starts.count)) { _, row in
      let results = body(row)
      done.withLock { $0[row.lowerBound] = results }
    }
    let found = done.withLock { $0 }
    return starts.flatMap { start in
      guard let results = found[start] else { preconditionFailure("the stack runs each row") }
      return results
    }
  }
}
