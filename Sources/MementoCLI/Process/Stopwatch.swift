// How long something takes.

import MementoSystem

struct Stopwatch {
  private let start = Clock.nanosecondsSinceBoot()

  var milliseconds: Int {
    let now = Clock.nanosecondsSinceBoot()
    return Int(clamping: now > start ? (now - start) / 1_000_000 : 0)
  }
}
