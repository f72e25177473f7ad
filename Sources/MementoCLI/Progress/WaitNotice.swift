// Reports once that this program waits for another one. Ends the wait when a signal has asked for an end.

import MementoKit
import Synchronization

final class WaitNotice: Monitor {
  private let errors: DescriptorOutput
  private let isSilent: Bool
  private let receivedSignal: @Sendable () -> Int32
  private let isSaid = Atomic<Bool>(false)
  /// While it is false, one signal does not end a wait, so that work which must be finished can be finished.
  private let heedsSignals = Atomic<Bool>(true)

  init(errors: DescriptorOutput, isSilent: Bool, receivedSignal: @escaping @Sendable () -> Int32) {
    self.errors = errors
    self.isSilent = isSilent
    self.receivedSignal = receivedSignal
  }

  func begin(_ phase: Phase) {}
  func advance(files: Int, bytes: UInt64) {}
  func report(_ problem: Problem) {}

  var isCancelled: Bool { heedsSignals.load(ordering: .relaxed) && receivedSignal() != 0 }

  func wait(for holder: StoreHolder?) {
    guard !isSilent, !isSaid.exchange(true, ordering: .relaxed) else { return }
    errors.tell("memento: \(WaitNotice.text(holder))\n")
  }

  /// Runs `work`. If `heeds` is false, one signal does not end a wait in it.
  func heeding<Result>(_ heeds: Bool, _ work: () throws -> Result) rethrows -> Result {
    let before = heedsSignals.exchange(heeds, ordering: .relaxed)
    defer { heedsSignals.store(before, ordering: .relaxed) }
    return try work()
  }

  /// The notice, for example `waiting for another memento to finish: process 1234 (memento gc)`.
  static func text(_ holder: StoreHolder?) -> String {
    let waiting = "waiting for another memento to finish"
    guard let holder else { return waiting }
    // 80 characters of the command line are enough to recognise a process.
    let words = holder.command.map { command in
      String(decoding: Array(command.joined(separator: [UInt8(ascii: " ")])), as: UTF8.self)
    }
    let command = words.map { " (\(TerminalText.escaped(String($0.prefix(80)))))" } ?? ""
    return "\(waiting): process \(holder.process)\(command)"
  }
}
