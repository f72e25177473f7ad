// Waits for a key and for whatever else wakes the loop.

package import MementoSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

package struct TerminalWait: Equatable, Sendable {
  package let hasInput: Bool
  package let isWoken: Bool

  /// Waits for one of both, at most so long; without a time, for ever. A signal ends the wait, too. `input`: nil when the
  /// terminal is closed.
  package static func wait(input: Int32?, wake: Int32, milliseconds: Int32?) throws(Errno) -> TerminalWait {
    var entries = [
      pollfd(fd: input ?? -1, events: Int16(POLLIN), revents: 0), pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    if poll(&entries, 2, milliseconds ?? -1) < 0 {
      guard Errno.current == .interrupted else { throw Errno.current }
      return TerminalWait(hasInput: false, isWoken: true)
    }
    return TerminalWait(hasInput: entries[0].revents != 0, isWoken: entries[1].revents != 0)
  }
}
