// Standard output and standard error. Writes are collected and written whole, and a failed write to standard output is
// an error.

import MementoSystem
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard output could not be written.
struct OutputError: Error {
  let cause: Errno

  /// Whether the reader has closed the pipe, as in `memento list | head -1`.
  var isBrokenPipe: Bool { cause.code == EPIPE }
}

final class DescriptorOutput: Sendable {
  let descriptor: Int32
  /// How much is collected in memory; nil where a descriptor is written to.
  private let collectingLimit: Int?
  private let pending = Mutex<[UInt8]>([])
  private static let limit = 1 << 16

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    collectingLimit = nil
  }

  /// Collects everything in memory. What is more than the limit is an error.
  init(collectingUpTo limit: Int) {
    descriptor = -1
    collectingLimit = limit
  }

  /// What was written so far, where it is collected in memory.
  var collected: [UInt8] { pending.withLock { $0 } }

  func write(_ bytes: some Sequence<UInt8>) throws(OutputError) {
    let count = pending.withLock { pending in
      pending.append(contentsOf: bytes)
      return pending.count
    }
    if let collectingLimit {
      if count > collectingLimit { throw OutputError(cause: .tooLarge) }
      return
    }
    let isFull = count >= DescriptorOutput.limit
    if isFull { try flush() }
  }

  func write(_ text: String) throws(OutputError) {
    try write(text.utf8)
  }

  /// Writes a message at once. A failure is ignored, because nothing else could report it.
  func tell(_ text: String) {
    try? write(text)
    try? flush()
  }

  /// Writes a message on its own line, after whatever others have written. When it is unknown where the last line ends,
  /// an empty line may come before it.
  func tellOnItsOwnLine(_ text: String) {
    tell((LineStart.isCertain(descriptor) ? "" : "\n") + text)
  }

  /// Writes everything that is collected.
  func flush() throws(OutputError) {
    if collectingLimit != nil { return }
    let bytes = pending.withLock { pending in
      defer { pending.removeAll() }
      return pending
    }
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { sendAll(descriptor, $0) }
      if count >= 0 {
        done += count
      } else if errno == EAGAIN {
        // Another process that shares the descriptor made it non-blocking.
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = waitUntilReady(&poll)
      } else if errno != EINTR {
        throw OutputError(cause: .current)
      }
    }
  }
}

private func sendAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}

private func waitUntilReady(_ descriptor: inout pollfd) -> Int32 {
  poll(&descriptor, 1, -1)
}
