// Limits that the shell has set (ulimit) and that leave no room to work in. Swift ends a program that gets no memory with a
// trap, so these are looked at before the work begins.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum ResourceLimits {
  /// Bytes that any command can get by with, for what it reads and writes and for its threads' stacks and buffers.
  private static let memory = (32 << 20) + (8 << 20) * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  /// Bytes of the stack that the program starts on.
  private static let stack: UInt64 = 256 << 10

  /// Why the program cannot work; nil when it can.
  static func problem() -> ErrorReport? {
    if isLimited(memoryLimits), !canMap(memory) {
      return report(
        "too little memory may be used", Advice.moreMemory(mebibytes: memory >> 20))
    }
    if isLimited([RLIMIT_STACK], below: stack) {
      return report("the stack is too small", Advice.largerStack(kibibytes: stack >> 10))
    }
    return nil
  }

  private static func report(_ message: String, _ advice: String) -> ErrorReport {
    ErrorReport(status: .failed, id: "system", message, advice: advice)
  }

  #if canImport(Glibc)
    private typealias Resource = __rlimit_resource
    private static let memoryLimits = [RLIMIT_AS, RLIMIT_DATA]

    private static func number(of resource: Resource) -> Int32 { Int32(resource.rawValue) }
  #elseif canImport(Darwin)
    private typealias Resource = Int32
    private static let memoryLimits = [RLIMIT_AS, RLIMIT_DATA]

    private static func number(of resource: Resource) -> Int32 { resource }
  #endif

  private static func isLimited(_ resources: [Resource], below amount: UInt64 = .max) -> Bool {
    resources.contains { resource in
      var limit = rlimit()
      // The rest of the program is no worse off for not knowing.
      guard getrlimit(ResourceLimits.number(of: resource), &limit) == 0, limit.rlim_cur != rlim_t.max,
        limit.rlim_cur != rlim_t(Int64.max)
      else {
        return false
      }
      return UInt64(limit.rlim_cur) < amount
    }
  }

  /// Whether the kernel grants so many bytes. They are not touched, and so take no memory.
  private static func canMap(_ count: Int) -> Bool {
    guard let area = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0), area != MAP_FAILED else {
      return false
    }
    munmap(area, count)
    return true
  }
}
