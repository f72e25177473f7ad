import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoBrowse

@Suite struct LaneTests {
  private final class Notes: Sendable {
    let list = Mutex<[Int]>([])
    let gate = Atomic<Bool>(false)

    func note(_ number: Int) { list.withLock { $0.append(number) } }

    func waitForGate() {
      while !gate.load(ordering: .acquiring) { _ = try? Readiness.wait(reading: nil, writing: nil, seconds: 0.01) }
    }

    func waitFor(_ count: Int) -> [Int] {
      for _ in 0..<3000 {
        let found = list.withLock { $0 }
        if found.count >= count { return found }
        _ = try? Readiness.wait(reading: nil, writing: nil, seconds: 0.01)
      }
      return list.withLock { $0 }
    }
  }

  @Test func aNewJobTakesThePlaceOfOneThatWaits() {
    let lane = Lane()
    let notes = Notes()
    lane.run {
      notes.note(0)
      notes.waitForGate()
    }
    #expect(notes.waitFor(1) == [0])
    for number in 1...50 { lane.run { notes.note(number) } }
    notes.gate.store(true, ordering: .releasing)
    #expect(notes.waitFor(2) == [0, 50])
    lane.run { notes.note(51) }
    #expect(notes.waitFor(3) == [0, 50, 51])
  }

  @Test func whoeverIsBusyIsPassedOver() {
    let lanes = [Lane(), Lane()]
    let notes = Notes()
    Lane.free(of: lanes)?.run { notes.waitForGate() }
    Lane.free(of: lanes)?.run { notes.note(1) }
    #expect(notes.waitFor(1) == [1])
    notes.gate.store(true, ordering: .releasing)
  }
}
