// The way to the network: async-http-client, asked by threads that wait.

internal import AsyncHTTPClient
internal import MementoObjects
internal import MementoSystem
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// Sends requests and waits for their answers. Several threads may ask at the same time. Follows no redirect and repeats
/// nothing.
final class HTTPTransport: Sendable {
  private let client: HTTPClient
  private let isCancelled = Atomic<Bool>(false)
  /// In seconds: how often a thread that waits looks at the clock.
  private static let pause = 0.2
  /// In seconds: how long a body may stand still after the engine has refused it.
  private static let refusal = 1.0
  /// Bytes of a body that are written at once: what is seen to move.
  private static let piece = 64 << 10

  init(_ settings: TransportSettings) throws(ObjectError) {
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    configuration.httpVersion = .http1Only
    configuration.timeout.connect = .seconds(10)
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 16
    // Whoever asks repeats it, and says what was wrong when there is no use.
    configuration.connectionPool.retryConnectionEstablishment = false
    var security = TLSConfiguration.makeClientConfiguration()
    security.minimumTLSVersion = .tlsv12
    if let path = settings.certificates {
      do {
        security.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
      } catch {
        throw ObjectError(.local, "the certificates in AWS_CA_BUNDLE cannot be read")
      }
    }
    configuration.tlsConfiguration = security
    if let proxy = settings.proxy {
      configuration.proxy = .server(
        host: proxy.host, port: proxy.port,
        authorization: proxy.user.isEmpty ? nil : .basic(username: proxy.user, password: proxy.password))
    }
    client = HTTPClient(
      eventLoopGroupProvider: .shared(NIOSingletons.posixEventLoopGroup), configuration: configuration)
  }

  /// Everything that is under way ends, and everything that comes later.
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
  }

  deinit {
    // A connection that cannot be closed is closed with the process.
    try? client.syncShutdown()
  }

  /// Sends a request, and waits for the whole answer. Gives up when nothing moves for `patience` seconds. `target`: where
  /// the content of an answer with status 206 goes. `isLast`: it is also sent after `cancel`, to clear up.
  func send(
    _ request: HTTPRequest, into target: UnsafeMutableRawBufferPointer = .init(start: nil, count: 0), patience: Double,
    isLast: Bool = false
  ) throws(TransportError) -> HTTPAnswer {
    let exchange = HTTPExchange(target: target)
    let task: HTTPClient.Task<Void>
    do {
      task = client.execute(request: try HTTPTransport.message(request, exchange), delegate: exchange)
    } catch {
      throw TransportError(kind: .local, reason: "the request cannot be sent: \(error)")
    }
    task.futureResult.whenComplete(exchange.end)
    let length = request.body?.count ?? 0
    do throws(TransportError) {
      if case .source(let source, _)? = request.body {
        try exchange.feed(source, checkingEvery: HTTPTransport.pause) { (state) throws(TransportError) in
          try check(state, patience, isLast)
          return HTTPTransport.isRefused(state, length)
        }
      }
      let answer = try wait(for: exchange, length, patience, isLast)
      // It waits for the rest of a body that nobody wants.
      if exchange.state.withLock({ $0.end == nil }) { task.cancel() }
      return answer
    } catch {
      task.cancel()
      var error = error
      exchange.state.withLock { state in
        // The target belongs to the caller again.
        state.target = .init(start: nil, count: 0)
        error.silence = Clock.monotonicSeconds() - state.progress
        error.sent = state.sent
      }
      throw error
    }
  }

  /// Whether the engine has refused a body before it had all of it, and does not take the rest. async-http-client waits for the
  /// rest all the same when the answer has no content.
  private static func isRefused(_ state: borrowing HTTPExchange.State, _ length: UInt64) -> Bool {
    guard let head = state.head, head.status.code >= 300, state.sent < length else { return false }
    return Clock.monotonicSeconds() - state.progress > refusal
  }

  /// Does nothing for a while.
  func sleep(seconds: Double) throws(TransportError) {
    let end = Clock.monotonicSeconds() + seconds
    while true {
      if isCancelled.load(ordering: .relaxed) { throw TransportError(kind: .cancelled, reason: "stopped") }
      let left = end - Clock.monotonicSeconds()
      if left <= 0 { return }
      Clock.sleep(seconds: min(left, HTTPTransport.pause))
    }
  }

  private func wait(
    for exchange: HTTPExchange, _ length: UInt64, _ patience: Double, _ isLast: Bool
  ) throws(TransportError) -> HTTPAnswer {
    try exchange.state.wait(checkingEvery: HTTPTransport.pause) { (state) throws(TransportError) -> HTTPAnswer? in
      switch state.end {
      case .success?:
        guard let answer = state.answer else { throw TransportError(kind: .broken, reason: "there was no answer") }
        return answer
      case .failure(let error)?:
        throw TransportError(error)
      case nil:
        if HTTPTransport.isRefused(state, length) { return state.answer }
        try check(state, patience, isLast)
        return nil
      }
    }
  }

  /// Throws when there is no use in waiting any longer.
  private func check(
    _ state: borrowing HTTPExchange.State, _ patience: Double, _ isLast: Bool
  ) throws(TransportError) {
    if !isLast, isCancelled.load(ordering: .relaxed) {
      throw TransportError(kind: .cancelled, reason: "stopped")
    }
    if Clock.monotonicSeconds() - state.progress > patience {
      throw TransportError(kind: .silent, reason: "no progress for \(Int(patience.rounded())) seconds")
    }
  }

  // MARK: Requests

  private static func message(_ request: HTTPRequest, _ exchange: HTTPExchange) throws -> HTTPClient.Request {
    var headers = HTTPHeaders()
    for header in request.headers { headers.add(name: header.name, value: header.value) }
    let body: HTTPClient.Body? = request.body.map { body in
      let count = body.count
      return .stream(contentLength: Int64(count)) { writer in
        switch body {
        case .bytes(let buffer): write(buffer, writer)
        case .source: exchange.stream(count, to: writer)
        }
      }
    }
    return try HTTPClient.Request(
      url: request.url, method: HTTPMethod(rawValue: request.method), headers: headers, body: body)
  }

  /// Writes what is left, a piece after the other, each when there is room for it.
  static func write(_ buffer: ByteBuffer, _ writer: HTTPClient.Body.StreamWriter) -> EventLoopFuture<Void> {
    var rest = buffer
    let part = rest.readSlice(length: min(piece, rest.readableBytes)) ?? ByteBuffer()
    let left = rest
    return writer.write(.byteBuffer(part)).flatMapWithEventLoop { _, loop in
      if left.readableBytes == 0 { return loop.makeSucceededVoidFuture() }
      // By way of the loop, so that the stack does not grow and other connections have their turn.
      return loop.flatSubmit { write(left, writer) }
    }
  }
}
