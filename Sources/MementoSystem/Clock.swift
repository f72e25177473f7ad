// The time of day, a clock that only goes forward, and which boot this is.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

package enum Clock {
  /// The time of day.
  package static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
  }

  package static func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Nanoseconds since the machine was started, those it was suspended for included where the system counts them. No change
  /// of the time of day touches it.
  package static func nanosecondsSinceBoot() -> UInt64 {
    var time = timespec()
    #if os(Linux)
      clock_gettime(CLOCK_BOOTTIME, &time)
    #else
      clock_gettime(CLOCK_MONOTONIC, &time)
    #endif
    return UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  package static func sleep(seconds: Double) {
    _ = usleep(UInt32(max(0, seconds) * 1e6))
  }

  /// Changes with each start of the machine; empty where the system does not tell.
  package static func bootIdentity() -> [UInt8] {
    // Empty counts as another start of the machine each time: more is read again, and nothing is believed.
    let text = Descriptor.systemText("/proc/sys/kernel/random/boot_id") { (file) throws(Errno) in
      try file.bytes(at: 0, count: 64)
    }
    return Array((text ?? []).prefix { $0 != UInt8(ascii: "\n") })
  }
}

/// What the clocks of the machine say at one moment.
package struct ClockReading: Equatable, Sendable {
  /// The time of day.
  package var wall: Timestamp
  /// Which start of the machine this is; empty where the system does not tell.
  package var boot: String
  /// Nanoseconds since that start.
  package var sinceBoot: UInt64

  package init(wall: Timestamp, boot: String, sinceBoot: UInt64) {
    self.wall = wall
    self.boot = boot
    self.sinceBoot = sinceBoot
  }

  /// The clocks of this machine.
  @Sendable package static func ofSystem() -> ClockReading {
    ClockReading(wall: Clock.now(), boot: systemBoot, sinceBoot: Clock.nanosecondsSinceBoot())
  }

  /// One word. Read once: it is the same for as long as a process lives.
  package static let systemBoot: String = {
    let bytes = Clock.bootIdentity()
    let isWord = bytes.allSatisfy { (0x21...0x7e).contains($0) }
    return isWord ? String(decoding: bytes, as: UTF8.self) : ""
  }()
}
