// Asks a bucket: signs requests, repeats those that may succeed the next time, and follows a bucket to its region.

internal import MementoObjects
internal import MementoSystem
internal import MementoTime
internal import NIOCore
internal import Synchronization

/// A request to a bucket.
struct BucketCall {
  var method: String
  /// The object that it is about; nil for the bucket.
  var name: ObjectName?
  var query: [(name: String, value: String)] = []
  var headers: [(name: String, value: String)] = []
  var body: RequestBody?
  /// It is also sent when all else has ended, once.
  var isLast = false
}

/// Why a try of a request has failed.
enum BucketSetback {
  case refused(BucketFailure)
  case lost(TransportError)
}

/// Several threads may ask at the same time.
final class BucketClient: Sendable {
  let place: BucketPlace
  let marks = PutMarks()
  private let target: Mutex<RequestTarget>
  private let transport: HTTPTransport
  private let keys: KeyChain
  private let limits: RetryLimits
  private let hasAnswered = Atomic<Bool>(false)
  /// How many parts of objects are in memory.
  private let bodies = WaitingLock((held: 0, spare: [ByteBuffer]()))

  /// How often a request may be sent elsewhere, and how often an answer may make no sense.
  private static let mostMoves = 3
  private static let mostGarbled = 3
  /// So many parts of objects are in memory at once, whichever objects they belong to.
  private static let mostBodies = 8
  /// In seconds, for what clears up.
  private static let lastPatience = 3.0

  init(
    _ place: BucketPlace, _ target: RequestTarget, _ transport: HTTPTransport, _ keys: KeyChain, _ limits: RetryLimits
  ) {
    self.place = place
    self.target = Mutex(target)
    self.transport = transport
    self.keys = keys
    self.limits = limits
  }

  /// Everything that is under way ends.
  func cancel() { transport.cancel() }

  /// Runs `body` with the memory for a part of an object, which it may hold until it returns. Waits while others have as many
  /// parts as there may be.
  func holdingBody<Result>(
    _ body: (inout ByteBuffer) throws(ObjectError) -> Result
  ) throws(ObjectError) -> Result {
    var buffer = bodies.wait(checkingEvery: 3600) { bodies -> ByteBuffer? in
      if bodies.held == BucketClient.mostBodies { return nil }
      bodies.held += 1
      return bodies.spare.popLast() ?? ByteBuffer()
    }
    defer {
      // Memory that is given back and taken again costs as much as what is done with it.
      buffer.clear()
      bodies.withLock { bodies in
        bodies.held -= 1
        bodies.spare.append(buffer)
      }
      bodies.wake()
    }
    return try body(&buffer)
  }

  /// Sends a request until there is an answer that `accept` takes. `accept` returns nil for one that is an error, and throws
  /// `.garbled` for one that makes no sense, and the request is repeated then. It is told which try it was: from the second
  /// on, an earlier one may have been carried out. `buffer`: where the content of a range goes. `silence`: for how many seconds
  /// nothing had moved before. `isEnough`: whether a setback ends it that else may pass.
  func perform<Result>(
    _ call: BucketCall, into buffer: UnsafeMutableRawBufferPointer = .init(start: nil, count: 0),
    afterSilence silence: Double = 0, isEnough: (BucketSetback) -> Bool = { _ in false },
    accept: (HTTPAnswer, _ tries: Int) throws(ObjectError) -> Result?
  ) throws(ObjectError) -> Result {
    var count = RetryCount(limits, silence: silence)
    var moves = 0
    var garbled = 0
    while true {
      let key = try keys.key()
      let target = self.target.withLock { $0 }
      let failure: ObjectError
      var pause = 0.0
      let outcome = try attempt(call, target, key, into: buffer, count, isDoubtful: garbled > 0, accept)
      switch outcome.event {
      case .accepted(let result): return result
      case .refused(let refusal):
        if moves < BucketClient.mostMoves, move(refusal, from: target) || renew(key, refusal) {
          moves += 1
          continue
        }
        failure = refusal.error(target.endpoint, target.bucket, call.name)
        if isEnough(.refused(refusal)) { throw failure }
        guard refusal.isPassing else { throw failure }
        pause = refusal.pause
      case .garbled(let error):
        failure = error
        garbled += 1
        guard garbled < BucketClient.mostGarbled else { throw failure }
      case .lost(let error):
        failure =
          error.kind == .silent
          ? ObjectError(.unreachable, call.name, "\(target.endpoint): no progress for \(count.allSilence) seconds")
          : ObjectError(error, target.endpoint, call.name)
        guard [.unreachable, .silent, .broken].contains(error.kind) else { throw failure }
        if isEnough(.lost(error)) { throw failure }
      }
      let isReached = hasAnswered.load(ordering: .relaxed)
      guard !call.isLast,
        let wait = count.pause(afterSilence: outcome.silence, atLeast: pause, isReached: isReached)
      else { throw failure }
      do throws(TransportError) {
        try transport.sleep(seconds: wait)
      } catch {
        throw ObjectError(error, target.endpoint, call.name)
      }
    }
  }

  /// What became of one try.
  private struct Outcome<Result> {
    enum Event {
      case accepted(Result)
      case refused(BucketFailure)
      case garbled(ObjectError)
      case lost(TransportError)
    }

    let event: Event
    /// For how many seconds nothing moved.
    let silence: Double
  }

  private func attempt<Result>(
    _ call: BucketCall, _ target: RequestTarget, _ key: AccessKey, into buffer: UnsafeMutableRawBufferPointer,
    _ count: RetryCount, isDoubtful: Bool, _ accept: (HTTPAnswer, _ tries: Int) throws(ObjectError) -> Result?
  ) throws(ObjectError) -> Outcome<Result> {
    let answer: HTTPAnswer
    do throws(TransportError) {
      answer = try transport.send(
        request(call, target, key, isDoubtful: isDoubtful), into: buffer,
        patience: call.isLast ? BucketClient.lastPatience : count.patience,
        isLast: call.isLast)
    } catch {
      // What is lost at once was not silent.
      return Outcome(event: .lost(error), silence: error.kind == .broken ? 0 : error.silence)
    }
    hasAnswered.store(true, ordering: .relaxed)
    do throws(ObjectError) {
      guard let result = try accept(answer, count.tries) else {
        return Outcome(event: .refused(BucketFailure(answer)), silence: answer.waited)
      }
      return Outcome(event: .accepted(result), silence: 0)
    } catch {
      guard error.kind == .garbled else { throw error }
      return Outcome(event: .garbled(error), silence: answer.waited)
    }
  }

  /// `isDoubtful`: the answers of a connection may be those of other requests, so none follows on it.
  private func request(
    _ call: BucketCall, _ target: RequestTarget, _ key: AccessKey, isDoubtful: Bool
  ) -> HTTPRequest {
    let path = target.path(call.name.map { place.key($0.text) } ?? "")
    let query = RequestTarget.query(call.query)
    let hash = call.body?.hash ?? RequestSigner.emptyHash
    var headers = RequestSigner(key: key, region: target.region).signed(
      method: call.method, path: path, query: query, headers: [("Host", target.host.authority)] + call.headers,
      payloadHash: hash, at: Clock.now())
    if isDoubtful { headers.append(("Connection", "close")) }
    return HTTPRequest(
      method: call.method, url: "\(target.host)\(path)" + (query.isEmpty ? "" : "?\(query)"), headers: headers,
      body: call.body)
  }

  /// Goes where the engine says that the bucket is. False when it says nothing new.
  private func move(_ refusal: BucketFailure, from old: RequestTarget) -> Bool {
    target.withLock { target in
      // Another thread was quicker.
      if target != old { return refusal.region != nil || refusal.location != nil }
      if let region = refusal.region, target.correct(region: region) { return true }
      return refusal.location.map { target.follow($0) } ?? false
    }
  }

  /// Looks for another key when this one has expired.
  private func renew(_ key: AccessKey, _ refusal: BucketFailure) -> Bool {
    ["ExpiredToken", "TokenRefreshRequired"].contains(refusal.code) && keys.refuse(key)
  }

  /// What an answer of success lacks that every engine gives: something else has answered.
  func garbled(_ what: String, _ name: ObjectName?) -> ObjectError {
    ObjectError(.garbled, name, "an answer of \(target.withLock { $0.endpoint }) makes no sense: \(what)")
  }
}
