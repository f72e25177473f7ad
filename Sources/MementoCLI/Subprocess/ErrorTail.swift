// The end of what a program writes to standard error.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads without pause, so that the program never waits for it, and keeps the end.
final class ErrorTail: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var isAtEnd = false
  }

  /// In bytes.
  private static let limit = 4096
  private let state = Mutex(State())

  /// Takes over the descriptor, and closes it at the end.
  init(reading descriptor: Int32) {
    let isStarted = DetachedThread.start { [self] in
      var buffer = [UInt8](repeating: 0, count: ErrorTail.limit)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 {
          keep(buffer[..<count])
        } else if count == 0 || errno != EINTR {
          break
        }
      }
      close(descriptor)
      state.withLock { $0.isAtEnd = true }
    }
    if !isStarted {
      close(descriptor)
      state.withLock { $0.isAtEnd = true }
    }
  }

  private func keep(_ bytes: ArraySlice<UInt8>) {
    state.withLock { state in
      state.bytes += bytes
      if state.bytes.count > 2 * ErrorTail.limit { state.bytes.removeFirst(state.bytes.count - ErrorTail.limit) }
    }
  }

  /// The lines of a program that has ended. A program that this one has started may go on and keep the pipe open, as ssh
  /// does for connections that are shared, so the end is not waited for long.
  func lines() -> [String] {
    for _ in 0..<100 {
      if state.withLock(\.isAtEnd) { break }
      usleep(2000)
    }
    let bytes = state.withLock(\.bytes).suffix(ErrorTail.limit)
    return bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
