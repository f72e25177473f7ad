// Tells a client that asked for it how far a call is. The numbers grow from note to note, as the protocol wants it, and
// there are at most four notes a second.

import MementoSystem
import Synchronization

final class ProgressNotes: Sendable {
  private struct State {
    var phase = ""
    /// What earlier phases have counted.
    var base: UInt64 = 0
    var current: UInt64 = 0
    var told: UInt64 = 0
    var time = Clock.nanosecondsSinceBoot()
  }

  private static let pause: UInt64 = 250_000_000
  private let token: JSONNode
  private let send: @Sendable (JSONNode) -> Void
  private let state = Mutex(State())

  init(token: JSONNode, send: @escaping @Sendable (JSONNode) -> Void) {
    self.token = token
    self.send = send
  }

  func note(_ phase: String, _ files: Int, _ bytes: UInt64) {
    state.withLock { state in
      if phase != state.phase {
        state.phase = phase
        state.base = state.base &+ state.current
      }
      state.current = bytes &+ UInt64(clamping: files)
      let now = Clock.nanosecondsSinceBoot()
      let done = state.base &+ state.current
      guard now &- state.time >= ProgressNotes.pause, done > state.told else { return }
      state.time = now
      state.told = done
      // Under the lock, so that no note overtakes another one.
      send([
        "jsonrpc": "2.0", "method": "notifications/progress",
        "params": [
          "progressToken": token, "progress": .number(String(done)),
          "message": .text("\(phase): \(files) files, \(bytes) bytes"),
        ],
      ])
    }
  }
}
