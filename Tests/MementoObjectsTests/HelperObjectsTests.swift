// Helpers that are broken, slow or hostile. None of them may take the program down, hold it up or fill its memory.

import MementoObjects
import MementoSystem
import Synchronization
import TestSupport
import Testing

@Suite struct HelperObjectsTests {
  /// A client whose helper does what `body` says with its input and output.
  private func client(
    timeLimit: Double = 30, isCancelled: @escaping @Sendable () -> Bool = { false },
    _ body: @escaping @Sendable (HelperScript) throws -> Void
  ) throws -> HelperObjects {
    let requests = makePipe()
    let answers = makePipe()
    _ = ServerThread(requests.reading, answers.writing) { input, output in
      try body(HelperScript(input: input, output: output))
    }
    return try HelperObjects(
      input: Descriptor(adopting: answers.reading), output: Descriptor(adopting: requests.writing), who: "the helper",
      timeLimit: timeLimit, isCancelled: isCancelled)
  }

  private func failure(_ body: () throws -> Void) -> ObjectError? {
    do { try body() } catch { return error as? ObjectError }
    return nil
  }

  @Test(arguments: [
    "bash: memento: command not found\n", "Welcome to this machine!\n", "memento-objects\n", "memento-objects x\n",
    "memento-objects 0\n", "memento-objects 1 requests=0\n", "memento-objects 1 requests=99999999999999999999\n", "\n",
    String(repeating: "x", count: 100_000),
  ])
  func rubbishInFront(_ text: String) throws {
    let client = try client { try $0.write(Array(text.utf8)) }
    let error = failure { try client.put([1], as: "a") }
    #expect(error?.kind == .garbled)
    #expect(error?.reason.contains("does not speak the protocol") == true)
  }

  /// A part may be wanted the moment that another one has come, before the thread that sent it goes on: while it sends, the
  /// thread of another put reads what the helper says.
  @Test func putsOfWhichManyPartsAreWanted() throws {
    let served = try ServedObjects(ReadInParts())
    let failures = Mutex<[ObjectError]>([])
    let puts = WorkStack<Int>()
    puts.push(0..<2)
    puts.run(workers: 2) { _, number in
      do throws(ObjectError) {
        try served.client.put(EmptySource(size: 24 << 20), as: ObjectName(text: "\(number)"))
      } catch {
        failures.withLock { $0.append(error) }
      }
    }
    #expect(failures.withLock { $0 } == [])
  }

  /// A helper that has use for it is told the hash of a large content, and no other helper is.
  @Test(arguments: [false, true]) func hashesAreTold(_ isTaken: Bool) throws {
    struct Hashed: ObjectSource {
      let size: UInt64
      func contentHash() -> [UInt8]? { (0..<32).map { $0 } }
      func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) {
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
      }
    }
    let heard = HeardHashes()
    let served = try ServedObjects(heard, takesHashes: isTaken)
    try served.client.put(Hashed(size: 8 << 20), as: ObjectName(text: "small"))
    try served.client.put(Hashed(size: (8 << 20) + 1), as: ObjectName(text: "large"))
    try served.client.put(EmptySource(size: 9 << 20), as: ObjectName(text: "silent"))
    _ = try served.client.putIfAbsent(Hashed(size: 9 << 20), as: ObjectName(text: "absent"))
    let hash = (0..<32).map { UInt8($0) }
    #expect(heard.hashes.withLock { $0 } == ["small": [], "large": isTaken ? hash : [], "silent": [], "absent": []])
  }

  @Test func whatAHelperSaysIsShownWithoutControlCharacters() throws {
    let client = try client { try $0.write(Array("\u{1b}[31mred\u{7}\u{202e}\n".utf8)) }
    let error = failure { _ = try client.names() }
    #expect(error?.reason.hasSuffix("it said: [31mred") == true)
  }

  @Test func aHelperThatEnds() throws {
    let client = try client { _ in }
    #expect(failure { _ = try client.names() } == ObjectError(.unreachable, "the helper has ended"))
    // And it stays so.
    #expect(failure { _ = try client.size(of: ObjectName(text: "a")) }?.kind == .unreachable)
  }

  @Test func aHelperThatEndsInTheMiddleOfAnAnswer() throws {
    let client = try client { helper in
      try helper.greet()
      _ = try helper.request()
      try helper.write([0, 0, 0, 100, 0, 0, 0, 1, 66, 1, 2, 3])
    }
    #expect(failure { _ = try client.read("a", count: 1000) }?.kind == .unreachable)
  }

  @Test func aSilentHelper() throws {
    let client = try client(timeLimit: 0.3) { helper in
      try helper.greet()
      _ = try helper.request()
      helper.waitForEnd()
    }
    let error = failure { _ = try client.names() }
    #expect(error?.kind == .unreachable)
    #expect(error?.reason.contains("no progress") == true)
  }

  @Test func aHelperThatReadsNothing() throws {
    let client = try client(timeLimit: 0.3) { helper in
      try helper.greet()
      helper.waitWithoutReading()
    }
    // More than a pipe holds.
    let error = failure {
      let stack = WorkStack<Int>()
      stack.push(0..<4)
      let first = Mutex<ObjectError?>(nil)
      stack.run(workers: 4) { _, _ in
        for _ in 0..<2000 {
          do throws(ObjectError) {
            _ = try client.list(String(repeating: "a", count: 200), page: String(repeating: "p", count: 4000))
          } catch {
            return first.withLock { $0 = error }
          }
        }
      }
      if let error = first.withLock({ $0 }) { throw error }
    }
    #expect(error?.kind == .unreachable)
  }

  @Test func whoIsAskedToStopStops() throws {
    let isCancelled = Atomic<Bool>(false)
    let client = try client(isCancelled: { isCancelled.load(ordering: .relaxed) }) { helper in
      try helper.greet()
      _ = try helper.request()
      isCancelled.store(true, ordering: .relaxed)
      helper.waitForEnd()
    }
    #expect(failure { _ = try client.names() }?.kind == .cancelled)
  }

  @Test func lastWordsCount() throws {
    let client = try client { helper in
      try helper.greet()
      try helper.frame(69, 0, [4] + "no credentials for the bucket".utf8)
    }
    let error = failure { _ = try client.names() }
    #expect(error == ObjectError(.denied, "no credentials for the bucket"))
  }

  @Test func lastWordsCountWhenAPutCannotBeWritten() throws {
    let client = try client { helper in
      try helper.greet()
      let number = try helper.request()
      try helper.want(number, 0, 8 << 20)
      try helper.frame(69, 0, [7] + "the bucket is full".utf8)
    }
    let error = failure { try client.put(Content.zeros(8 << 20), as: "a") }
    #expect(error == ObjectError(.full, "the bucket is full"))
  }

  @Test func anErrorIsThatOfItsRequestAlone() throws {
    let client = try client { helper in
      try helper.greet()
      try helper.frame(69, try helper.request(), [1] + "gone\nsecond line".utf8)
      try helper.frame(69, try helper.request(), [200] + "odd".utf8)
      try helper.frame(69, try helper.request(), [9])
      try helper.frame(68, try helper.request(), [0, 0, 0, 0, 0, 0, 0, 5])
    }
    let name = ObjectName(text: "a")
    #expect(failure { _ = try client.size(of: name) } == ObjectError(.notFound, name, "gone"))
    #expect(failure { _ = try client.size(of: name) } == ObjectError(.failed, name, "odd"))
    #expect(failure { _ = try client.size(of: name) }?.kind == .failed)
    #expect(try client.size(of: name) == 5)
  }

  /// Answers that make no sense, each to a request of its own kind.
  @Test(
    arguments: [
      // Too large, of an unknown kind, of a request that is not there, a request.
      ("size", [0, 32, 0, 0, 0, 0, 0, 1, 68]), ("size", [255, 255, 255, 255, 0, 0, 0, 1, 68]),
      ("size", [0, 0, 0, 0, 0, 0, 0, 1, 99]), ("size", [0, 0, 0, 0, 0, 0, 0, 9, 68]),
      ("size", [0, 0, 0, 0, 0, 0, 0, 0, 68]), ("size", [0, 0, 0, 1, 0, 0, 0, 1, 2, 97]),
      ("size", [0, 0, 0, 0, 0, 0, 0, 1, 69]),
      // A size that is too short or too long, or data for it.
      ("size", [0, 0, 0, 0, 0, 0, 0, 1, 68]), ("size", [0, 0, 0, 9, 0, 0, 0, 1, 68, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
      ("size", [0, 0, 0, 1, 0, 0, 0, 1, 66, 0]),
      // More bytes than were asked for (4), fewer than were sent, a listing.
      ("read", [0, 0, 0, 5, 0, 0, 0, 1, 66, 1, 2, 3, 4, 5]),
      ("read", [0, 0, 0, 2, 0, 0, 0, 1, 66, 1, 2, 0, 0, 0, 4, 0, 0, 0, 1, 68, 0, 0, 0, 1]),
      ("read", [0, 0, 0, 4, 0, 0, 0, 1, 68, 0, 0, 0, 3]), ("read", [0, 0, 0, 1, 0, 0, 0, 1, 67, 0]),
      // It wants what is behind the end (10 bytes), nothing, or far too much; it did what does not exist.
      ("put", [0, 0, 0, 12, 0, 0, 0, 1, 65, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 3]),
      ("put", [0, 0, 0, 12, 0, 0, 0, 1, 65, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 3]),
      ("put", [0, 0, 0, 12, 0, 0, 0, 1, 65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
      ("put", [0, 0, 0, 1, 0, 0, 0, 1, 68, 7]), ("put", [0, 0, 0, 1, 0, 0, 0, 1, 68, 1]),
      // Names that are none, not below the prefix, or out of order; a time that is none.
      ("list", [0, 0, 0, 24, 0, 0, 0, 1, 67, 3, 46, 46, 47] + [UInt8](repeating: 0, count: 20)),
      ("list", [0, 0, 0, 23, 0, 0, 0, 1, 67, 2, 120, 120] + [UInt8](repeating: 0, count: 20)),
      ("list", [0, 0, 0, 22, 0, 0, 0, 1, 67, 1, 97] + [UInt8](repeating: 255, count: 20)),
      (
        "list",
        [0, 0, 0, 44, 0, 0, 0, 1, 67, 1, 97] + [UInt8](repeating: 0, count: 20) + [1, 97]
          + [UInt8](repeating: 0, count: 20)
      ),
      ("list", [0, 0, 0, 1, 0, 0, 0, 1, 67, 200]), ("list", [0, 0, 0, 3, 0, 0, 0, 1, 68, 0, 0, 0]),
      ("list", [0, 0, 0, 13, 0, 0, 0, 1, 68] + [UInt8](repeating: 0, count: 12) + [9]),
    ] as [(String, [UInt8])])
  func answersThatMakeNoSense(_ request: String, _ answer: [UInt8]) throws {
    let client = try client { helper in
      try helper.greet()
      _ = try helper.request()
      try helper.write(answer)
      helper.waitForEnd()
    }
    let error = failure {
      switch request {
      case "size": _ = try client.size(of: ObjectName(text: "a"))
      case "read": _ = try client.read("a", count: 4)
      case "put": try client.put(Content.zeros(10), as: "a")
      default: _ = try client.list("a", page: nil)
      }
    }
    #expect(error?.kind == .garbled, "\(error?.reason ?? "no error")")
  }

  @Test func aPageWithoutEnd() throws {
    let client = try client { helper in
      try helper.greet()
      let number = try helper.request()
      for index in 100_000..<200_000 {
        try helper.frame(67, number, [6] + "\(index)".utf8 + [UInt8](repeating: 0, count: 20))
      }
    }
    #expect(failure { _ = try client.list("", page: nil) }?.kind == .garbled)
  }

  @Test func aHelperThatWantsTheSameForEver() throws {
    let client = try client { helper in
      try helper.greet()
      let number = try helper.request()
      // It may want a part again, and gets it again; but not all at once.
      while true { try helper.want(number, 0, 1 << 20) }
    }
    #expect(failure { try client.put(Content.zeros(1 << 20), as: "a") }?.kind == .garbled)
  }

  @Test func answersInAnyOrder() throws {
    let client = try client { helper in
      try helper.greet()
      let numbers = [try helper.request(), try helper.request(), try helper.request()]
      for number in numbers.reversed() {
        try helper.frame(70, 0, [])
        try helper.frame(68, number, [0, 0, 0, 0, 0, 0, 0, UInt8(number)])
      }
    }
    let sizes = Mutex<Set<UInt64>>([])
    let stack = WorkStack<Int>()
    stack.push(0..<3)
    stack.run(workers: 3) { _, _ in
      if let size = try? client.size(of: ObjectName(text: "a")) { sizes.withLock { _ = $0.insert(size) } }
    }
    #expect(sizes.withLock { $0 } == [1, 2, 3])
  }

  @Test func anyBytesAreSurvived() throws {
    for seed in 0..<200 as Range<UInt64> {
      let client = try client { helper in
        try helper.greet()
        _ = try helper.request()
        var bytes = Content.random(400, seed: seed)
        // Mostly short frames of known kinds for the request.
        for start in stride(from: 0, to: 390, by: 1 + Int(bytes[399] % 40)) {
          bytes.replaceSubrange(
            start..<start + 9, with: [0, 0, 0, bytes[start] % 32, 0, 0, 0, 1, 65 + bytes[start + 1] % 6])
        }
        try helper.write(bytes)
      }
      _ = failure {
        switch seed % 4 {
        case 0: _ = try client.size(of: ObjectName(text: "a"))
        case 1: _ = try client.read("a", count: 40)
        case 2: try client.put(Content.zeros(100_000), as: "a")
        default: _ = try client.list("", page: nil)
        }
      }
    }
  }
}

/// What a helper in a test does with its pipes.
struct HelperScript: Sendable {
  let input: Int32
  let output: Int32

  func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try StreamOutput(output).write($0) }
  }

  func greet() throws {
    try write("memento-objects 1 requests=8\n".bytes)
    while try byte() != UInt8(ascii: "\n") {}
  }

  private func byte() throws -> UInt8 {
    var byte: UInt8 = 0
    let count = try withUnsafeMutableBytes(of: &byte) { try StreamInput(input).read(into: $0) }
    if count == 0 { throw Errno.badMessage }
    return byte
  }

  /// Reads a request. Returns its number.
  func request() throws -> UInt32 {
    let header = try (0..<9).map { _ in try byte() }
    for _ in 0..<Int(header[2]) << 8 + Int(header[3]) { _ = try byte() }
    return header[4..<8].reduce(0) { $0 << 8 + UInt32($1) }
  }

  func frame(_ kind: UInt8, _ number: UInt32, _ payload: [UInt8]) throws {
    let count = payload.count
    try write(
      [
        0, UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), 0, 0, UInt8(number >> 8),
        UInt8(number & 255), kind,
      ]
        + payload)
  }

  func want(_ number: UInt32, _ offset: UInt8, _ count: Int) throws {
    try frame(
      65, number,
      [0, 0, 0, 0, 0, 0, 0, offset] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) })
  }

  /// Returns when the client has closed its side.
  func waitForEnd() {
    while (try? byte()) != nil {}
  }

  /// Returns when the client has closed its side, and takes nothing from it meanwhile.
  func waitWithoutReading() {
    // Readable is what was never read. The end of the answers is seen by the state of the pipe that they go into.
    while true {
      guard let ready = try? Readiness.wait(reading: output, writing: nil, seconds: 1), !ready.canRead else { return }
    }
  }
}

/// A content of any bytes.
private struct EmptySource: ObjectSource {
  let size: UInt64

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) {}
}

/// A storage that hears the hashes of what is put, and keeps nothing.
private final class HeardHashes: ObjectStorage {
  let hashes = Mutex<[String: [UInt8]]>([:])

  func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) {
    let hash = try source.contentHash() ?? []
    hashes.withLock { $0[name.text] = hash }
  }

  func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut {
    try put(source, as: name)
    return .put
  }

  func list(_ prefix: String, page: String?) -> ObjectPage { fatalError("not asked for") }
  func size(of name: ObjectName) -> UInt64 { 0 }
  func read(_ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
  func remove(_ name: ObjectName) {}
}

/// A storage that reads a content with several threads, as an upload in parts does, and keeps nothing.
private struct ReadInParts: ObjectStorage {
  func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) {
    let part = 1 << 20
    let failure = Mutex<ObjectError?>(nil)
    let parts = WorkStack<Int>()
    parts.push(0..<Int(source.size) / part)
    parts.run(workers: 20) { _, number in
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: part, alignment: 1)
      defer { buffer.deallocate() }
      do throws(ObjectError) {
        try source.read(into: buffer, at: UInt64(number * part))
      } catch {
        failure.withLock { $0 = error }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  func list(_ prefix: String, page: String?) -> ObjectPage { fatalError("not asked for") }
  func size(of name: ObjectName) -> UInt64 { 0 }
  func read(_ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
  func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) -> ConditionalPut { .unsupported }
  func remove(_ name: ObjectName) {}
}
