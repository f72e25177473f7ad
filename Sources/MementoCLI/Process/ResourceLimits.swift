// Checks for limits of the shell (ulimit) that are too small to work with. Swift traps when it gets no memory, so they
// are checked before the work begins.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum ResourceLimits {
  /// The bytes of memory that are enough for any command, with the stacks and buffers of its threads.
  private static let memory = (32 << 20) + (8 << 20) * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  /// The bytes of stack that the main thread needs.
  private static let stack: UInt64 = 256 << 10

  /// The reason why the program cannot work; nil when it can.
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
      // When the limit cannot be read, the program goes on as if there were none.
      guard getrlimit(ResourceLimits.number(of: resource), &limit) == 0, limit.rlim_cur != rlim_t.max,
        limit.rlim_cur != rlim_t(Int64.max)
      else {
        return false
      }
      return UInt64(limit.rlim_cur) < amount
    }
  }

  /// Whether the kernel grants `count` bytes. They are never touched, so they use no memory.
  private static func canMap(_ count: Int) -> Bool {
    guard let area = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0), area != MAP_FAILED else {
      return false
    }
    munmap(area, count)
    return true
  }
}
