// Steps of several actors in an order that a seed decides, by a clock of their own.

import TestSupport

/// Runs steps in the order of their times. While a step waits for a storage, steps of others that are due may run within
/// it. So requests interleave without threads, a schedule is the same for the same seed, and thousands take seconds.
final class VirtualTime {
  /// Does something, and says after how long it goes on with which step. Nil at the end.
  typealias Step = () -> (after: Int64, next: AnyStep)?

  struct AnyStep {
    let run: Step
    init(_ run: @escaping Step) { self.run = run }
  }

  private(set) var now: Int64 = 1_000_000
  var random: SplitMix64
  private var waiting: [(due: Int64, step: AnyStep)] = []
  private var depth = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }
  func happens(_ percent: Int64) -> Bool { percent > 0 && number(1...100) <= percent }

  func add(after delay: Int64, _ step: AnyStep) { waiting.append((now + delay, step)) }

  /// Runs all steps to their ends.
  func run() {
    while let next = earliest() {
      now = max(now, waiting[next].due)
      runStep(next)
    }
  }

  /// A request is on its way: others that are due go on meanwhile.
  func travel(atMost delay: Int64) {
    now += number(0...delay)
    while depth < 4, let next = earliest(), waiting[next].due <= now, happens(60) { runStep(next) }
  }

  /// Passes time when nobody is at work.
  func pass(_ delay: Int64) { now += delay }

  private func earliest() -> Int? { waiting.indices.min { waiting[$0].due < waiting[$1].due } }

  private func runStep(_ index: Int) {
    let step = waiting.remove(at: index).step
    depth += 1
    if let next = step.run() { waiting.append((now + next.after, next.next)) }
    depth -= 1
  }
}
