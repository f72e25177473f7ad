// The wall clock, a monotonic clock, and an identity of the current boot.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

package enum Clock {
  /// The wall clock time.
  package static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
  }

  /// Seconds on a clock that only goes forward. Only differences between two readings mean something.
  package static func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Nanoseconds since boot. Setting the wall clock does not change it. On Linux it includes the time that the machine
  /// was suspended.
  package static func nanosecondsSinceBoot() -> UInt64 {
    var time = timespec()
    #if os(Linux)
      clock_gettime(CLOCK_BOOTTIME, &time)
    #else
      clock_gettime(CLOCK_MONOTONIC, &time)
    #endif
    return UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Blocks the calling thread for `seconds`. A negative value counts as 0.
  package static func sleep(seconds: Double) {
    _ = usleep(UInt32(max(0, seconds) * 1e6))
  }

  /// A value that is different after each boot. Empty where the system has none or it cannot be read.
  package static func bootIdentity() -> [UInt8] {
    // Empty counts as another start of the machine each time: more is read again, and nothing is believed.
    let text = Descriptor.systemText("/proc/sys/kernel/random/boot_id") { (file) throws(Errno) in
      try file.bytes(at: 0, count: 64)
    }
    return Array((text ?? []).prefix { $0 != UInt8(ascii: "\n") })
  }
}

/// One reading of all clocks of the machine.
package struct ClockReading: Equatable, Sendable {
  /// The wall clock time.
  package var wall: Timestamp
  /// The identity of the current boot; empty where the system has none.
  package var boot: String
  /// Nanoseconds since boot.
  package var sinceBoot: UInt64

  package init(wall: Timestamp, boot: String, sinceBoot: UInt64) {
    self.wall = wall
    self.boot = boot
    self.sinceBoot = sinceBoot
  }

  /// Reads the clocks of this machine.
  @Sendable package static func ofSystem() -> ClockReading {
    ClockReading(wall: Clock.now(), boot: systemBoot, sinceBoot: Clock.nanosecondsSinceBoot())
  }

  /// The boot identity as one printable word without spaces, or empty. It is read once: it cannot change while a
  /// process lives.
  package static let systemBoot: String = {
    let bytes = Clock.bootIdentity()
    let isWord = bytes.allSatisfy { (0x21...0x7e).contains($0) }
    return isWord ? String(decoding: bytes, as: UTF8.self) : ""
  }()
}
