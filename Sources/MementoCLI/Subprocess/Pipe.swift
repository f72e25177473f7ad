// A pipe to a program that this one starts.

import MementoSystem
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The two ends of a pipe. Programs that are started meanwhile do not inherit them. Whoever makes it closes both.
struct Pipe {
  let reading: Int32
  let writing: Int32

  init() throws(Errno) {
    var ends: [Int32] = [-1, -1]
    // No other thread starts a program between the two calls.
    let isOpen = ChildProcess.starts.withLock { _ in
      pipe(&ends) == 0 && ends.allSatisfy { fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }
    }
    guard isOpen else { throw Errno.current }
    (reading, writing) = (ends[0], ends[1])
  }

  func close() {
    closeReading()
    closeWriting()
  }

  func closeReading() { _ = systemClose(reading) }

  func closeWriting() { _ = systemClose(writing) }
}

/// The function of C, which the methods above hide by their names.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
