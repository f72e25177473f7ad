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

  package static func sleep(seconds: Double) {
    _ = usleep(UInt32(max(0, seconds) * 1e6))
  }

  /// Changes with each start of the machine; empty where the system does not tell.
  package static func bootIdentity() -> [UInt8] {
    guard
      let file = try? Descriptor.open(
        Array("/proc/sys/kernel/random/boot_id".utf8), .namedFile),
      let bytes = try? file.bytes(at: 0, count: 64)
    else { return [] }
    return Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
  }
}
