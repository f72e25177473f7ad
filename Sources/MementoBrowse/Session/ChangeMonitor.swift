// Watches a change of the folder: how far it is, whom it waits for, and whether somebody has stopped it.

import MementoKit
import MementoText
import Synchronization

final class ChangeMonitor: Monitor {
  let token: Int
  private let queue: EventQueue
  private let words: BrowserWords
  private let flag = Atomic<Bool>(false)
  private let files = Atomic<Int>(0)
  private let bytes = Atomic<UInt64>(0)
  private let phase = Mutex<Phase?>(nil)

  init(token: Int, queue: EventQueue, words: BrowserWords) {
    self.token = token
    self.queue = queue
    self.words = words
  }

  func cancel() { flag.store(true, ordering: .relaxed) }

  var isCancelled: Bool { flag.load(ordering: .relaxed) }

  func begin(_ phase: Phase) {
    self.phase.withLock { $0 = phase }
    files.store(0, ordering: .relaxed)
    bytes.store(0, ordering: .relaxed)
  }

  func advance(files: Int, bytes: UInt64) {
    self.files.wrappingAdd(files, ordering: .relaxed)
    self.bytes.wrappingAdd(bytes, ordering: .relaxed)
  }

  // The summary has the problems.
  func report(_ problem: Problem) {}

  func wait(for holder: StoreHolder?) {
    queue.post(.notice(ScreenMessage(words.waiting(holder))))
  }

  /// For example `restoring, 120 files, 1.2 MiB`.
  var progress: String {
    guard let phase = phase.withLock({ $0 }) else { return "" }
    let amount = Quantity.count(files.load(ordering: .relaxed), "file")
    return "\(phase), \(amount), \(Quantity.bytes(bytes.load(ordering: .relaxed)))"
  }
}
