// Events of other threads, in order. The loop wakes when one has come.

import MementoSystem
import Synchronization

package final class EventQueue: Sendable {
  private let events = Mutex<[BrowserEvent]>([])
  let pipe: WakePipe

  init() throws(Errno) {
    pipe = try WakePipe()
  }

  package func post(_ event: BrowserEvent) {
    events.withLock { $0.append(event) }
    pipe.wake()
  }

  /// All that have come since the last call.
  func take() -> [BrowserEvent] {
    pipe.drain()
    return events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}
