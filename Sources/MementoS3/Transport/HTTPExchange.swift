// One request on its way, and its answer as it comes in.

internal import AsyncHTTPClient
internal import MementoSystem
internal import NIOCore
internal import NIOHTTP1

/// What one request gets from the threads of the network. The thread that asked waits for it.
final class HTTPExchange: HTTPClientResponseDelegate, Sendable {
  /// `@unchecked Sendable`: the target belongs to the thread that waits, and is used only under a lock and until it stops
  /// waiting.
  struct State: @unchecked Sendable {
    /// When a byte moved last, in seconds of the monotonic clock.
    var progress: Double
    var head: HTTPResponseHead?
    /// Seconds of silence before the head.
    var waited = 0.0
    var body: [UInt8] = []
    var target: UnsafeMutableRawBufferPointer
    /// How much of `target` is filled.
    var filled = 0
    var isTooLong = false
    /// Of a body that is read while it is sent.
    var pieces = BodyPieces()
    /// Bytes of the body that were sent.
    var sent: UInt64 = 0
    var end: Result<Void, any Error>?

    /// What has come of the answer; nil before its head.
    var answer: HTTPAnswer? {
      head.map { head in
        HTTPAnswer(
          status: Int(head.status.code), headers: head.headers.map { ($0.name, $0.value) }, body: body, filled: filled,
          waited: waited)
      }
    }
  }

  /// The longest answer that goes to memory of its own.
  static let longestBody = 8 << 20

  let state: WaitingLock<State>

  /// `target`: where the content goes of an answer with the status 206.
  init(target: UnsafeMutableRawBufferPointer) {
    state = WaitingLock(State(progress: Clock.monotonicSeconds(), target: target))
  }

  private func move(_ change: (inout State) -> Void = { _ in }) {
    state.withLock { state in
      state.progress = Clock.monotonicSeconds()
      change(&state)
    }
  }

  /// The request is over.
  func end(_ result: Result<Void, any Error>) {
    let waiting = state.withLock { state in
      state.end = result
      return state.pieces.end()
    }
    state.wake()
    waiting?.fail(HTTPClientError.cancelled)
  }

  // MARK: What the client tells

  func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) { move() }

  func didSendRequestPart(task: HTTPClient.Task<Void>, _ part: IOData) {
    move { $0.sent += UInt64(part.readableBytes) }
  }

  func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
    state.withLock { state in
      let now = Clock.monotonicSeconds()
      state.waited = now - state.progress
      state.progress = now
      state.head = head
    }
    return task.eventLoop.makeSucceededVoidFuture()
  }

  func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
    move { state in
      buffer.withUnsafeReadableBytes { bytes in
        if state.head?.status == .partialContent {
          guard bytes.count <= state.target.count - state.filled else {
            state.isTooLong = true
            return
          }
          UnsafeMutableRawBufferPointer(rebasing: state.target[state.filled...]).copyMemory(from: bytes)
          state.filled += bytes.count
        } else if bytes.count <= HTTPExchange.longestBody - state.body.count {
          state.body.append(contentsOf: bytes)
        } else {
          state.isTooLong = true
        }
      }
    }
    if state.withLock({ $0.isTooLong }) { return task.eventLoop.makeFailedFuture(TooLong()) }
    return task.eventLoop.makeSucceededVoidFuture()
  }

  func didFinishRequest(task: HTTPClient.Task<Void>) throws {}

  /// The answer has more bytes than were asked for.
  struct TooLong: Error {}
}
