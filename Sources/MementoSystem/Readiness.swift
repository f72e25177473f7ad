// Waiting until a pipe or a socket has something to read or room for something to write.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What `Readiness.wait` found. The end of the other side counts as ready, since a call then returns at once.
package struct Readiness: Equatable, Sendable {
  package let canRead: Bool
  package let canWrite: Bool

  package init(canRead: Bool, canWrite: Bool) {
    self.canRead = canRead
    self.canWrite = canWrite
  }

  /// Waits until one of the descriptors is ready, at most `seconds`. With nil for both it only waits.
  package static func wait(reading: Int32?, writing: Int32?, seconds: Double) throws(Errno) -> Readiness {
    // A negative number is passed over by poll(2).
    var entries = [
      pollfd(fd: reading ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: writing ?? -1, events: Int16(POLLOUT), revents: 0),
    ]
    let milliseconds = Int32(max(0, min(seconds, 3600)) * 1000)
    // A signal ends the wait early, and the caller looks again.
    if poll(&entries, 2, milliseconds) < 0, Errno.current != .interrupted { throw Errno.current }
    return Readiness(canRead: entries[0].revents != 0, canWrite: entries[1].revents != 0)
  }
}

extension Descriptor {
  /// Lets reads and writes of this open file fail with `.wouldBlock` where they would wait.
  package func setNonBlocking() throws(Errno) {
    let flags = try retrying { fcntl(raw, F_GETFL) }
    _ = try retrying { fcntl(raw, F_SETFL, flags | O_NONBLOCK) }
  }

  /// Writes what there is room for. Returns how many bytes were written.
  package func writeSome(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try StreamOutput(raw).writeSome(bytes)
  }
}
