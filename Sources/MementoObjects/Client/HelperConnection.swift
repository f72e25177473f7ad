// The two pipes to a helper, shared by all threads that ask it for something. There is no thread of its own: whichever
// caller waits reads for all, and one that cannot write reads meanwhile, so that neither side can wait for the other for
// ever.

internal import MementoSystem

/// `@unchecked Sendable`: `received` and `receivedCount` are used only by the thread that has set `isReading`.
final class HelperConnection: @unchecked Sendable {
  private let input: Descriptor
  private let output: Descriptor
  private let who: String
  private let timeLimit: Double
  private let isCancelled: @Sendable () -> Bool
  private let state: WaitingLock<HelperState>
  private let received = UnsafeMutableRawBufferPointer.allocate(
    byteCount: FrameLimit.payload + FrameLimit.header, alignment: 16)
  private var receivedCount = 0
  /// In seconds: how often a thread that waits looks whether it should end.
  private static let pause = 0.1

  init(
    input: consuming Descriptor, output: consuming Descriptor, who: String, timeLimit: Double,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws(Errno) {
    try input.setNonBlocking()
    try output.setNonBlocking()
    for raw in [input.raw, output.raw] { StreamOutput(raw).enlargePipe() }
    self.input = input
    self.output = output
    self.who = who
    self.timeLimit = timeLimit
    self.isCancelled = isCancelled
    state = WaitingLock(HelperState(progress: Clock.monotonicSeconds()))
  }

  deinit {
    received.deallocate()
  }

  /// Sends a request and waits for its answer. `buffer`: where the bytes of a read go. `source`: the content of a put.
  func perform(
    _ request: ObjectRequest, into buffer: UnsafeMutableRawBufferPointer = .init(start: nil, count: 0),
    from source: (any ObjectSource)? = nil
  ) throws(ObjectError) -> (answer: HelperAnswer, objects: [ListedObject]) {
    let number = try begin(request, buffer)
    do throws(ObjectError) {
      try send(request.frame(number))
      var sourceError: ObjectError?
      while true {
        switch try next(number) {
        case .want(let part):
          guard let source, sourceError == nil else { continue }
          sourceError = try serve(part, of: source, number)
        case .end(let entry):
          if let sourceError { throw sourceError }
          guard let answer = entry.answer else { continue }
          if case .failed(let error) = answer { throw error }
          return (answer, entry.objects)
        }
      }
    } catch {
      // The buffer is the caller's again.
      state.withLock { $0.pending[number] = nil }
      state.wake()
      throw error
    }
  }

  // MARK: Requests

  private enum Event {
    case want(WantedPart)
    case end(PendingRequest)
  }

  /// Waits until the helper has said what it can and has time for one more request. Returns the number of the request.
  private func begin(_ request: ObjectRequest, _ buffer: UnsafeMutableRawBufferPointer) throws(ObjectError) -> UInt32 {
    state.withLock { state in if state.pending.isEmpty { state.progress = Clock.monotonicSeconds() } }
    try greet()
    return try turn { (state) throws(ObjectError) in
      guard let greeting = state.greeting, state.pending.count < greeting.requests else { return nil }
      let number = state.nextRequest
      state.nextRequest = number == .max ? 1 : number + 1
      state.pending[number] = PendingRequest(request: request, buffer: buffer)
      return number
    }
  }

  /// Whether the connection is over already. Waits for nothing.
  func hasEnded() -> Bool {
    let mayRead = state.withLock { state in
      if state.failure != nil || state.isReading { return false }
      state.isReading = true
      return true
    }
    if mayRead {
      _ = receive()
      stopReading()
    }
    return state.withLock { $0.failure != nil }
  }

  /// Whether a put may tell the SHA-256 of its content. Waits until the helper has said so.
  func takesHashes() throws(ObjectError) -> Bool {
    if let greeting = state.withLock({ $0.greeting }) { return greeting.takesHashes }
    state.withLock { state in if state.pending.isEmpty { state.progress = Clock.monotonicSeconds() } }
    try greet()
    return try turn { $0.greeting?.takesHashes }
  }

  private func greet() throws(ObjectError) {
    let isFirst = state.withLock { state in
      defer { state.isGreeted = true }
      return !state.isGreeted
    }
    if isFirst { try send(Greeting(requests: 1).line) }
  }

  /// What the helper has said of a request; waits for it.
  private func next(_ number: UInt32) throws(ObjectError) -> Event {
    let event: Event = try turn { (state) throws(ObjectError) in
      guard var entry = state.pending[number] else { throw ObjectError(.garbled, "\(who) lost a request") }
      if entry.answer != nil {
        state.pending[number] = nil
        return .end(entry)
      }
      if entry.wanted.isEmpty { return nil }
      let part = entry.wanted.removeFirst()
      state.pending[number] = entry
      return .want(part)
    }
    // Another thread may wait for its turn to ask.
    if case .end = event { state.wake() }
    return event
  }

  /// Sends a part of a source. Returns why the source could not be read; the helper knows then.
  private func serve(_ part: WantedPart, of source: any ObjectSource, _ number: UInt32) throws(ObjectError)
    -> ObjectError?
  {
    var done = 0
    while done < part.count {
      let count = min(FrameLimit.piece, part.count - done)
      let offset = part.offset + UInt64(done)
      var frame = FrameWriter(.content, number)
      frame.add(offset)
      let failure = frame.addBytes(count) { (buffer) throws(ObjectError) in try source.read(into: buffer, at: offset) }
      state.withLock { state in state.progress = Clock.monotonicSeconds() }
      if let failure {
        var abandon = FrameWriter(.abandon, number)
        try send(abandon.finish())
        return failure
      }
      // Before it is sent: the helper may want more when it has got this, and another thread reads that at once.
      state.withLock { state in state.pending[number]?.wantedBytes -= count }
      try send(frame.finish())
      done += count
    }
    return nil
  }

  // MARK: Waiting

  /// Calls `body` until it returns something. Waits meanwhile while another thread reads, or else reads for all.
  private func turn<Result>(
    _ body: (inout HelperState) throws(ObjectError) -> Result?
  ) throws(ObjectError) -> Result {
    let found: Result?? = try state.wait(checkingEvery: HelperConnection.pause) { (state) throws(ObjectError) in
      // What was read before the end still counts.
      if let result = try body(&state) { return .some(.some(result)) }
      try check(&state)
      if state.isReading { return nil }
      state.isReading = true
      return .some(.none)
    }
    if let result = found ?? nil { return result }
    defer { stopReading() }
    while true {
      if !receive() { _ = readiness(reading: true, writing: false) }
      let result = try state.withLock { (state) throws(ObjectError) -> Result? in
        if let result = try body(&state) { return result }
        try check(&state)
        return nil
      }
      if let result { return result }
    }
  }

  /// Lets another thread read.
  private func stopReading() {
    state.withLock { $0.isReading = false }
    state.wake()
  }

  /// Throws what has ended the connection, or ends it when it is time.
  private func check(_ state: inout HelperState) throws(ObjectError) {
    if state.failure == nil {
      if isCancelled() {
        state.failure = ObjectError(.cancelled, "stopped")
      } else if Clock.monotonicSeconds() - state.progress > timeLimit {
        state.failure = ObjectError(.unreachable, "no progress for \(Int(timeLimit)) seconds with \(who)")
      }
    }
    if let failure = state.failure { throw failure }
  }

  private func readiness(reading: Bool, writing: Bool) -> Readiness {
    do throws(Errno) {
      return try Readiness.wait(
        reading: reading ? input.raw : nil, writing: writing ? output.raw : nil, seconds: HelperConnection.pause)
    } catch {
      // The read or the write that follows says what is wrong.
      return Readiness(canRead: true, canWrite: true)
    }
  }

  // MARK: Writing

  /// Writes a whole frame. Reads what the helper says while it does not take the frame.
  private func send(_ frame: [UInt8]) throws(ObjectError) {
    try state.wait(checkingEvery: HelperConnection.pause) { (state) throws(ObjectError) -> Void? in
      try check(&state)
      if state.isWriting { return nil }
      state.isWriting = true
      return ()
    }
    defer {
      state.withLock { $0.isWriting = false }
      state.wake()
    }
    var reads = false
    defer { if reads { stopReading() } }
    var done = 0
    while done < frame.count {
      var failure: Errno?
      do throws(Errno) {
        done += try frame.withUnsafeBufferPointer { (bytes) throws(Errno) -> Int in
          try output.writeSome(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[done...])))
        }
        state.withLock { $0.progress = Clock.monotonicSeconds() }
        continue
      } catch {
        failure = error
      }
      let isClosed = failure != .wouldBlock
      // When it takes nothing more, its last words are still to be read, and then its end.
      reads = try state.withLock { (state) throws(ObjectError) in
        try check(&state)
        if !reads, state.isReading { return false }
        state.isReading = true
        return true
      }
      let ready = readiness(reading: reads, writing: !isClosed)
      if reads, ready.canRead { _ = receive() }
    }
  }

  // MARK: Reading

  /// Reads what is there and hands it out. Only the thread that has set `isReading` calls this. False when nothing is there.
  private func receive() -> Bool {
    do throws(Errno) {
      let count = try input.read(into: UnsafeMutableRawBufferPointer(rebasing: received[receivedCount...]))
      if count == 0 {
        fail(.unreachable, "\(who) has ended")
        return true
      }
      receivedCount += count
    } catch {
      if error == .wouldBlock { return false }
      fail(.unreachable, "\(who): \(error.message)")
      return true
    }
    let (used, hasNews) = state.withLock { state in
      state.progress = Clock.monotonicSeconds()
      return handOut(&state)
    }
    // The bytes of an answer that is not complete matter to nobody yet.
    if hasNews { state.wake() }
    if used > 0 {
      let rest = UnsafeRawBufferPointer(rebasing: received[used..<receivedCount])
      received.copyMemory(from: rest)
      receivedCount = rest.count
    }
    return true
  }

  private func fail(_ kind: ObjectError.Kind, _ reason: String) {
    state.withLock { state in
      if state.failure == nil { state.failure = ObjectError(kind, reason) }
    }
  }

  /// Takes all whole frames that were received. Returns how many bytes they have, and whether somebody may wait for one.
  private func handOut(_ state: inout HelperState) -> (used: Int, hasNews: Bool) {
    var used = 0
    var hasNews = false
    func garbled(_ reason: String) {
      if state.failure == nil { state.failure = ObjectError(.garbled, reason) }
    }
    let bytes = UnsafeRawBufferPointer(rebasing: received[..<receivedCount])
    if state.greeting == nil {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
        if bytes.count >= FrameLimit.greeting { garbled("\(who) does not speak the protocol of helpers") }
        return (0, state.failure != nil)
      }
      guard end < FrameLimit.greeting, let greeting = Greeting(bytes[..<end]) else {
        let said = ObjectError.printable(UnsafeRawBufferPointer(rebasing: bytes[..<min(end, 100)]))
        garbled("\(who) does not speak the protocol of helpers; it said: \(said)")
        return (0, true)
      }
      state.greeting = greeting
      hasNews = true
      used = end + 1
    }
    while state.failure == nil, bytes.count - used >= FrameLimit.header {
      guard let header = FrameHeader(UnsafeRawBufferPointer(rebasing: bytes[used...])) else {
        garbled("\(who) sent a frame that is too large")
        break
      }
      let start = used + FrameLimit.header
      guard bytes.count - start >= header.length else { break }
      let end = start + header.length
      if header.kind != FrameKind.data.rawValue { hasNews = true }
      if let fault = state.take(header, UnsafeRawBufferPointer(rebasing: bytes[start..<end])) {
        garbled("\(who) sent \(fault)")
        break
      }
      used = end
    }
    return (used, hasNews || state.failure != nil)
  }
}
