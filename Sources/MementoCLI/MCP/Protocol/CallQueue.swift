// The calls of tools, which one thread carries out one after the other. Meanwhile the server reads on, so that a call can
// be cancelled.

import MementoSystem

/// The answers to one line: a single one, or those of a batch.
struct PendingAnswers: Sendable {
  enum Answer: Sendable {
    case ready(JSONNode)
    case call(RequestID, ToolCall, answer: @Sendable (ToolOutcome) -> JSONNode)
  }

  let isBatch: Bool
  var answers: [Answer] = []
}

final class CallQueue: Sendable {
  private struct State {
    var pending: [PendingAnswers] = []
    var running: [RequestID: Cancellation] = [:]
    var isWorking = false
    var isClosed = false
  }

  /// A client that asks faster than it is answered is read no further.
  private static let longest = 256

  private let state = WaitingLock(State())
  private let run: @Sendable (ToolCall) -> ToolOutcome
  private let send: @Sendable (JSONNode) -> Void

  init(run: @escaping @Sendable (ToolCall) -> ToolOutcome, send: @escaping @Sendable (JSONNode) -> Void) {
    self.run = run
    self.send = send
  }

  /// Notes a call that is going to be queued. Nil when a call with this id is not answered yet.
  func begin(_ id: RequestID) -> Cancellation? {
    state.withLock { state in
      guard state.running[id] == nil else { return nil }
      let cancellation = Cancellation()
      state.running[id] = cancellation
      return cancellation
    }
  }

  func cancel(_ id: RequestID) {
    state.withLock { $0.running[id] }?.cancel()
  }

  func push(_ answers: PendingAnswers) {
    state.wait(checkingEvery: 1) { state -> Void? in
      guard state.pending.count < CallQueue.longest else { return nil }
      state.pending.append(answers)
      return ()
    }
    state.wake()
  }

  /// Carries out what is queued until the queue is closed and empty. Runs on a thread of its own.
  func work() {
    while true {
      let next = state.wait(checkingEvery: 1) { state -> PendingAnswers?? in
        if !state.pending.isEmpty {
          state.isWorking = true
          return .some(state.pending.removeFirst())
        }
        return state.isClosed ? .some(nil) : nil
      }
      guard let next else { return }
      answer(next)
      state.withLock { $0.isWorking = false }
      state.wake()
    }
  }

  /// Waits until all that was queued is answered.
  func finish() {
    state.withLock { $0.isClosed = true }
    state.wake()
    state.wait(checkingEvery: 1) { state -> Void? in state.pending.isEmpty && !state.isWorking ? () : nil }
  }

  /// Drops what has not begun, and asks what has begun to end.
  func abandon() {
    state.withLock { state in
      state.pending.removeAll()
      for cancellation in state.running.values { cancellation.cancel() }
    }
  }

  private func answer(_ pending: PendingAnswers) {
    var responses: [JSONNode] = []
    for answer in pending.answers {
      switch answer {
      case .ready(let response): responses.append(response)
      case .call(let id, let call, let respond):
        let outcome = call.isCancelled() ? nil : run(call)
        state.withLock { $0.running[id] = nil }
        // Nobody waits for the answer to a call that was cancelled.
        if let outcome, !call.isCancelled() { responses.append(respond(outcome)) }
      }
    }
    if pending.isBatch {
      if !responses.isEmpty { send(.list(responses)) }
    } else {
      for response in responses { send(response) }
    }
  }
}
