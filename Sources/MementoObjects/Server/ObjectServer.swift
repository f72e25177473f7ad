// The helper's side of the protocol, over any storage.

internal import MementoSystem

/// Serves the objects of a storage to whoever is at the other end of two descriptors, until its input ends.
package final class ObjectServer: Sendable {
  private struct Job {
    let number: UInt32
    let request: ObjectRequest
    let source: WantedSource?
  }

  private struct State {
    var waiting: [Job] = []
    /// All requests that were not answered yet.
    var sources: [UInt32: WantedSource?] = [:]
    var isEnded = false
  }

  private let storage: any ObjectStorage
  private let input: FrameInput
  private let output: FrameOutput
  private let parallel: Int
  private let takesHashes: Bool
  private let state = WaitingLock(State())

  /// `input` and `output` stay open. `parallel`: how many requests are worked on at once. `aliveAfter`: the seconds of
  /// silence after which the other side is told that a request is still being worked on. `takesHashes`: whether the hash of
  /// a content is of use to the storage.
  package init(
    _ storage: any ObjectStorage, input: Int32, output: Int32, parallel: Int = 8, aliveAfter: Double = 5,
    takesHashes: Bool = false
  ) {
    self.storage = storage
    self.input = FrameInput(input, pause: aliveAfter)
    self.output = FrameOutput(output)
    self.parallel = max(1, parallel)
    self.takesHashes = takesHashes
  }

  /// Tells the other side that nothing can be served, and why.
  package static func refuse(_ error: ObjectError, output: Int32) throws(ObjectError) {
    let output = FrameOutput(output)
    try output.send(Greeting(requests: 1).line)
    try output.send(error.frame(0))
  }

  /// `onEnd` is called when there is nobody any more who waits for an answer, so that what still works can give up. Returns
  /// when the input has ended and all that was begun is done or given up. Throws `.garbled` when what comes in makes
  /// no sense, and `.local` when no thread can be started or the descriptors fail.
  package func run(onEnd: () -> Void = {}) throws(ObjectError) {
    var threads = WorkerThreads()
    var started = 0
    while started < parallel, threads.start({ self.work() }) { started += 1 }
    let result = Result { () throws(ObjectError) in
      if started == 0 { throw ObjectError(.local, "no thread can be started") }
      try output.send(Greeting(requests: started, takesHashes: takesHashes).line)
      try serve(limit: started)
    }
    let waiting = state.withLock { state in
      state.isEnded = true
      state.waiting = []
      return state.sources.values.compactMap { $0 }
    }
    for source in waiting { source.end(ObjectError(.cancelled, "the other side has gone")) }
    state.wake()
    onEnd()
    threads.join()
    try result.get()
  }

  // MARK: What comes in

  private func serve(limit: Int) throws(ObjectError) {
    guard let line = try input.line() else { return }
    guard Greeting(line) != nil else { throw ObjectError(.garbled, "the other side does not speak the protocol") }
    while true {
      switch try input.next() {
      case .nothing: try tellAlive()
      case .end: return
      case .frame(let header, let payload):
        try take(header, payload, limit)
        // Much may come in while nothing goes out.
        try tellAlive()
      }
    }
  }

  private func tellAlive() throws(ObjectError) {
    guard state.withLock({ !$0.sources.isEmpty }) else { return }
    var frame = FrameWriter(.alive, 0)
    try output.sendIfSilent(frame.finish(), for: input.pause)
  }

  private func take(
    _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ limit: Int
  ) throws(ObjectError) {
    guard let kind = FrameKind(rawValue: header.kind), kind.rawValue < FrameKind.want.rawValue, header.request != 0
    else {
      throw ObjectError(.garbled, "a frame of the unknown kind \(header.kind)")
    }
    switch kind {
    case .content:
      var reader = MessageReader(payload)
      guard let offset = reader.number(UInt64.self) else { throw ObjectError(.garbled, "content without a place") }
      // A put that has ended meanwhile wants nothing more.
      guard let source = source(of: header.request) else { return }
      if !source.take(reader.remainder(), at: offset), self.source(of: header.request) != nil, !source.isIdle {
        throw ObjectError(.garbled, "content that was not asked for")
      }
    case .abandon:
      source(of: header.request)?.end(ObjectError(.cancelled, "the content cannot be read"))
    default:
      guard let request = ObjectRequest(kind, payload) else {
        throw ObjectError(.garbled, "a request that cannot be read")
      }
      try begin(header.request, request, limit)
    }
  }

  private func source(of number: UInt32) -> WantedSource? {
    state.withLock { $0.sources[number] ?? nil }
  }

  private func begin(_ number: UInt32, _ request: ObjectRequest, _ limit: Int) throws(ObjectError) {
    var source: WantedSource?
    if case .put(_, let size, _, let hash) = request {
      source = WantedSource(size: size, hash: hash) { [output] (offset, count) throws(ObjectError) in
        var frame = FrameWriter(.want, number)
        frame.add(offset)
        frame.add(UInt32(count))
        try output.send(frame.finish())
      }
    }
    try state.withLock { (state) throws(ObjectError) in
      guard state.sources[number] == nil else { throw ObjectError(.garbled, "two requests of one number") }
      guard state.sources.count < limit else { throw ObjectError(.garbled, "more requests at once than were offered") }
      state.sources[number] = .some(source)
      state.waiting.append(Job(number: number, request: request, source: source))
    }
    state.wake()
  }

  // MARK: What is done

  private func work() {
    var memory = ReadMemory()
    while let job = nextJob() {
      do throws(ObjectError) {
        let answer: [UInt8]
        do throws(ObjectError) {
          answer = try perform(job, &memory)
        } catch {
          answer = error.frame(job.number)
        }
        // Before the answer is out: with it, the other side may send its next request.
        state.withLock { state in _ = state.sources.removeValue(forKey: job.number) }
        try output.send(answer)
      } catch {
        // The other side is gone, and so is its end of the input.
        input.close()
      }
    }
  }

  private func nextJob() -> Job? {
    state.wait(checkingEvery: 3600) { state -> Job?? in
      if !state.waiting.isEmpty { return .some(state.waiting.removeFirst()) }
      return state.isEnded ? .some(nil) : nil
    }
  }

  /// Does what is asked, and sends what comes before the answer. Returns the answer.
  private func perform(_ job: Job, _ memory: inout ReadMemory) throws(ObjectError) -> [UInt8] {
    var done = FrameWriter(.done, job.number)
    switch job.request {
    case .list(let prefix, let page):
      let result = try storage.list(prefix, page: page)
      try send(result.objects, job.number)
      done.add(result.now)
      done.add(UInt8(result.next == nil ? 0 : 1))
      if let next = result.next { done.add(next.utf8) }
    case .size(let name):
      done.add(try storage.size(of: name))
    case .read(let name, let offset, let count):
      let buffer = memory.buffer(of: count)
      let found = try storage.read(name, at: offset, into: buffer)
      try send(UnsafeRawBufferPointer(rebasing: buffer[..<found]), job.number)
      done.add(UInt32(found))
    case .put(let name, _, let isOnlyIfAbsent, _):
      guard let source = job.source else { break }
      if isOnlyIfAbsent {
        switch try storage.putIfAbsent(source, as: name) {
        case .put: done.add(UInt8(0))
        case .exists: done.add(UInt8(1))
        case .unsupported: done.add(UInt8(2))
        }
      } else {
        try storage.put(source, as: name)
        done.add(UInt8(0))
      }
    case .remove(let name):
      try storage.remove(name)
    }
    return done.finish()
  }

  private func send(_ objects: [ListedObject], _ number: UInt32) throws(ObjectError) {
    guard objects.count <= FrameLimit.page else { throw ObjectError(.failed, "a page with too many objects") }
    var frame = FrameWriter(.objects, number)
    for object in objects {
      if frame.payloadSize > FrameLimit.piece {
        try output.send(frame.finish())
        frame = FrameWriter(.objects, number)
      }
      object.add(to: &frame)
    }
    if frame.payloadSize > 0 { try output.send(frame.finish()) }
  }

  private func send(_ bytes: UnsafeRawBufferPointer, _ number: UInt32) throws(ObjectError) {
    var done = 0
    while done < bytes.count {
      let count = min(FrameLimit.piece, bytes.count - done)
      var frame = FrameWriter(.data, number)
      frame.add(bytes[done..<done + count])
      try output.send(frame.finish())
      done += count
    }
  }
}

/// What one thread reads objects into. It is kept for the next one: memory that is given back and taken again costs as much as
/// what is done with it.
private struct ReadMemory: ~Copyable {
  private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  mutating func buffer(of count: Int) -> UnsafeMutableRawBufferPointer {
    if bytes.count < count {
      bytes.deallocate()
      bytes = .allocate(byteCount: count, alignment: 16)
    }
    return UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])
  }

  deinit {
    bytes.deallocate()
  }
}
