// A body on its way: the thread that waits for the answer reads it, and the threads of the network send it.

internal import AsyncHTTPClient
internal import MementoObjects
internal import MementoSystem
internal import NIOCore

/// Pieces of a body that are read and not sent yet. It holds no more than a few of them.
struct BodyPieces: Sendable {
  /// Bytes that are read at once.
  static let size = 1 << 20
  /// So many pieces wait to be sent.
  private static let most = 2

  private var ready: [ByteBuffer] = []
  /// Wants the next piece, which is not read yet.
  private var wanted: EventLoopPromise<ByteBuffer>?
  private var hasEnded = false

  /// Whether another piece may be read.
  var hasRoom: Bool { ready.count < BodyPieces.most }

  /// Adds a piece. Returns who waits for it and gets it instead.
  mutating func add(_ piece: ByteBuffer) -> EventLoopPromise<ByteBuffer>? {
    guard let promise = wanted.take() else {
      ready.append(piece)
      return nil
    }
    return promise
  }

  /// The next piece; nil when it is going to be given to `promise`. Throws when there is none any more.
  mutating func next(_ promise: EventLoopPromise<ByteBuffer>) throws(HTTPClientError) -> ByteBuffer? {
    if hasEnded { throw HTTPClientError.cancelled }
    if !ready.isEmpty { return ready.removeFirst() }
    wanted = promise
    return nil
  }

  /// Nothing is sent any more. Returns who waits in vain.
  mutating func end() -> EventLoopPromise<ByteBuffer>? {
    hasEnded = true
    ready = []
    return wanted.take()
  }
}

extension HTTPExchange {
  /// Sends what is read, until `left` bytes are sent.
  func stream(_ left: UInt64, to writer: HTTPClient.Body.StreamWriter) -> EventLoopFuture<Void> {
    // Nothing is written here. It tells the loop.
    writer.write(.byteBuffer(ByteBuffer())).flatMapWithEventLoop { _, loop in
      self.sendNext(left, to: writer, on: loop)
    }
  }

  private func sendNext(
    _ left: UInt64, to writer: HTTPClient.Body.StreamWriter, on loop: any EventLoop
  ) -> EventLoopFuture<Void> {
    if left == 0 { return loop.makeSucceededVoidFuture() }
    let promise = loop.makePromise(of: ByteBuffer.self)
    do throws(HTTPClientError) {
      let piece = try state.withLock { (state) throws(HTTPClientError) in try state.pieces.next(promise) }
      if let piece { promise.succeed(piece) }
    } catch {
      promise.fail(error)
    }
    // There is room for another one.
    state.wake()
    return promise.futureResult.flatMap { piece in
      HTTPTransport.write(piece, writer).flatMap {
        self.sendNext(left - UInt64(piece.readableBytes), to: writer, on: loop)
      }
    }
  }

  /// Reads a body and hands it over, until all of it is read or nobody wants more. `check` says whether that is so, and throws
  /// when the request must end.
  func feed(
    _ source: any ObjectSource, checkingEvery pause: Double,
    _ check: (borrowing State) throws(TransportError) -> Bool
  ) throws(TransportError) {
    var offset: UInt64 = 0
    while offset < source.size {
      let isUnwanted = try state.wait(checkingEvery: pause) { (state) throws(TransportError) -> Bool? in
        if state.end != nil { return true }
        if try check(state) { return true }
        return state.pieces.hasRoom ? false : nil
      }
      if isUnwanted { return }
      let piece: ByteBuffer
      do throws(ObjectError) {
        piece = try source.bytes(at: offset, count: Int(min(UInt64(BodyPieces.size), source.size - offset)))
      } catch {
        throw TransportError(kind: .unread(error), reason: error.reason)
      }
      offset += UInt64(piece.readableBytes)
      let promise = state.withLock { state in
        // Reading may have taken long, which the network cannot help.
        state.progress = Clock.monotonicSeconds()
        return state.pieces.add(piece)
      }
      promise?.succeed(piece)
    }
  }
}
