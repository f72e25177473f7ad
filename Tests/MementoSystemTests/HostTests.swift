import MementoSystem
import TestSupport
import Testing

struct HostTests {
  @Test func knowsWhereItRuns() throws {
    #expect(!Host.name().isEmpty)
    #expect(!Host.name().contains("\0"))
    #expect(!Host.userName().isEmpty)
    #expect(Host.processorCount() >= 1)
    #expect(Host.processID > 0)
    #expect(Host.isSuperuser == (Host.effectiveUser == 0))
  }

  @Test func theSuperuserHasAName() throws {
    guard Host.isSuperuser else { return }
    #expect(Host.userName() == "root")
  }

  @Test func theClockGoesForward() {
    let start = Clock.monotonicSeconds()
    Clock.sleep(seconds: 0.002)
    #expect(Clock.monotonicSeconds() - start >= 0.002)
    Clock.sleep(seconds: -1)
    let now = Clock.now()
    #expect(now.nanoseconds < 1_000_000_000)
    #expect(now.seconds > 1_700_000_000)
  }

  #if os(Linux)
    @Test func aBootHasAName() {
      let identity = Clock.bootIdentity()
      #expect(identity.count == 36)
      #expect(identity == Clock.bootIdentity())
    }
  #endif
}
