// Takes the lines of a detail and hands them over in pieces, as long as somebody wants them and there are not too many.

import MementoKit
import MementoSystem

/// Why a detail ends before its end.
enum DetailEnd: Error {
  /// Somebody looks at something else.
  case cancelled
  /// There are more lines than are shown.
  case full
  case failed(RepositoryError)

  init(_ error: RepositoryError) {
    self = error.code == .cancelled ? .cancelled : .failed(error)
  }
}

struct DetailOutput: ~Copyable {
  /// Nobody reads more than so many lines here.
  private static let largest = 50_000
  private static let piece = 400
  /// Nobody waits longer, in seconds, for lines that are there.
  private static let longestWait = 0.05

  private let token: Int
  private let queue: EventQueue
  private let monitor: LookMonitor
  private var lines: [DetailLine] = []
  private var count = 0
  private var lastFlush = Clock.monotonicSeconds()

  init(token: Int, queue: EventQueue, monitor: LookMonitor) {
    self.token = token
    self.queue = queue
    self.monitor = monitor
  }

  mutating func put(_ line: DetailLine) throws(DetailEnd) {
    if monitor.isCancelled { throw .cancelled }
    if count == DetailOutput.largest { throw .full }
    count += 1
    lines.append(line)
    if lines.count >= DetailOutput.piece || Clock.monotonicSeconds() - lastFlush > DetailOutput.longestWait { flush() }
  }

  mutating func put(_ lines: [DetailLine]) throws(DetailEnd) {
    for line in lines { try put(line) }
  }

  /// Shows what there is.
  mutating func flush() {
    if lines.isEmpty { return }
    queue.post(.detail(lines, token: token))
    lines = []
    lastFlush = Clock.monotonicSeconds()
  }

  /// The last lines, without a limit.
  consuming func finish(_ last: [DetailLine] = []) {
    lines += last
    flush()
    queue.post(.detailEnd(token: token))
  }
}
