// A pipe that wakes the loop, which waits for the terminal: from another thread, and from a handler of a signal.

package import MementoSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

package struct WakePipe: ~Copyable, Sendable {
  package let reading: Int32
  package let writing: Int32

  package init() throws(Errno) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Errno.current }
    (reading, writing) = (ends[0], ends[1])
    for end in ends {
      // Both fail for no open descriptor.
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Wakes whoever waits. A pipe that is full has woken it already.
  static func wake(_ writing: Int32) {
    var byte: UInt8 = 0
    _ = write(writing, &byte, 1)
  }

  package borrowing func wake() {
    WakePipe.wake(writing)
  }

  /// Forgets what has come.
  package borrowing func drain() {
    var buffer = [UInt8](repeating: 0, count: 64)
    while read(reading, &buffer, buffer.count) > 0 {}
  }
}
