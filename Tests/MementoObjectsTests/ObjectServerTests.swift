// Programs that ask a server for nonsense, and the example of a helper in docs/remote-helpers.md.

import MementoObjects
import MementoSystem
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct ObjectServerTests {
  private let folder: TemporaryDirectory
  private let storage: DirectoryObjects

  init() throws {
    folder = try TemporaryDirectory()
    storage = DirectoryObjects(path: "\(folder.path)/remote".bytes)
  }

  /// Sends bytes to a server and closes its input. Returns what it answers and how it ends.
  private func exchange(_ bytes: [UInt8], aliveAfter: Double = 5) throws -> (answer: [UInt8], error: ObjectError?) {
    let requests = makePipe()
    let answers = makePipe()
    let storage = storage
    let server = ServerThread(requests.reading, answers.writing) { input, output in
      try ObjectServer(storage, input: input, output: output, parallel: 2, aliveAfter: aliveAfter).run()
    }
    // Its end may come before all is written.
    let writer = ServerThread(answers.reading, -1) { _, _ in
      let written = Result { try bytes.withUnsafeBytes { try StreamOutput(requests.writing).write($0) } }
      close(requests.writing)
      try written.get()
      var answer: [UInt8] = []
      while true {
        var piece = [UInt8](repeating: 0, count: 65536)
        let count = try piece.withUnsafeMutableBytes { try StreamInput(answers.reading).read(into: $0) }
        if count == 0 { break }
        answer += piece[..<count]
      }
      throw Answer(bytes: answer)
    }
    var answer: [UInt8] = []
    do { try writer.join() } catch { answer = (error as? Answer)?.bytes ?? [] }
    do { try server.join() } catch { return (answer, error as? ObjectError) }
    return (answer, nil)
  }

  private struct Answer: Error {
    let bytes: [UInt8]
  }

  private let greeting = "memento-objects 1\n".bytes

  @Test func theEndOfTheInputIsTheEnd() throws {
    #expect(try exchange([]).error == nil)
    #expect(try exchange(greeting).error == nil)
    // In the middle of a line, of a header and of a frame.
    #expect(try exchange(Array(greeting.prefix(5))).error == nil)
    #expect(try exchange(greeting + [0, 0]).error == nil)
    #expect(try exchange(greeting + [0, 0, 0, 9, 0, 0, 0, 1, 2, 97]).error == nil)
    let answer = try exchange(greeting + [0, 0, 0, 1, 0, 0, 0, 7, 5, 97])
    #expect(answer.error == nil)
    #expect(answer.answer.starts(with: "memento-objects 1 requests=2\n".bytes))
  }

  @Test func aPutThatIsCutOffLeavesNothing() throws {
    try storage.put([1], as: "other")
    let put: [UInt8] = [0, 0, 0, 10, 0, 0, 0, 1, 4] + [0, 0, 0, 0, 0, 0, 0, 9, 0, 97]
    let part: [UInt8] = [0, 0, 0, 12, 0, 0, 0, 1, 6] + [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]
    #expect(try exchange(greeting + put).error == nil)
    _ = try exchange(greeting + put + part)
    #expect(try folder.names("remote") == ["other"])
  }

  @Test(arguments: [
    "hello\n".bytes, [UInt8](repeating: 120, count: 1000), "memento-objects\n".bytes,
  ])
  func whoSpeaksAnotherLanguageIsRefused(_ bytes: [UInt8]) throws {
    #expect(try exchange(bytes).error?.kind == .garbled)
  }

  @Test(
    arguments: [
      // Too large, of an unknown kind, an answer, the request 0.
      [0, 16, 0, 1, 0, 0, 0, 1, 2], [0, 0, 0, 0, 0, 0, 0, 1, 9], [0, 0, 0, 0, 0, 0, 0, 1, 68],
      [0, 0, 0, 1, 0, 0, 0, 0, 2, 97],
      // Names that are none.
      [0, 0, 0, 0, 0, 0, 0, 1, 2], [0, 0, 0, 2, 0, 0, 0, 1, 2, 46, 46], [0, 0, 0, 2, 0, 0, 0, 1, 2, 47, 97],
      [0, 0, 0, 4, 0, 0, 0, 1, 5, 97, 47, 46, 46], [0, 0, 0, 2, 0, 0, 0, 1, 2, 97, 0],
      // Requests that are too short, or ask for too much.
      [0, 0, 0, 3, 0, 0, 0, 1, 3, 0, 0, 0],
      [0, 0, 0, 13, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0, 97],
      [0, 0, 0, 3, 0, 0, 0, 1, 4, 0, 0, 0], [0, 0, 0, 10, 0, 0, 0, 1, 4, 0, 0, 0, 0, 0, 0, 0, 1, 2, 97],
      [0, 0, 0, 1, 0, 0, 0, 1, 1, 0], [0, 0, 0, 3, 0, 0, 0, 1, 1, 0, 9, 97], [0, 0, 0, 3, 0, 0, 0, 1, 1, 0, 0, 5],
      [0, 0, 0, 4, 0, 0, 0, 1, 1, 0, 0, 0, 97], [0, 0, 0, 3, 0, 0, 0, 1, 6, 0, 0, 0],
    ] as [[UInt8]])
  func requestsThatMakeNoSense(_ request: [UInt8]) throws {
    #expect(try exchange(greeting + request).error?.kind == .garbled)
    #expect(!folder.exists("remote"))
  }

  @Test func moreRequestsThanWereOffered() throws {
    // Puts wait for their content.
    var bytes = greeting
    for number in 1...3 as ClosedRange<UInt8> {
      bytes += [0, 0, 0, 10, 0, 0, 0, number, 4, 0, 0, 0, 0, 0, 0, 0, 9, 0, 96 + number]
    }
    #expect(try exchange(bytes).error?.kind == .garbled)
    #expect(
      try exchange(greeting + bytes.dropFirst(greeting.count).prefix(19) + bytes.dropFirst(greeting.count).prefix(19))
        .error?.kind == .garbled)
  }

  @Test func anyBytesAreSurvived() throws {
    for seed in 0..<100 as Range<UInt64> {
      var bytes = Content.random(300, seed: seed)
      for start in stride(from: 0, to: 280, by: 9 + Int(bytes[299] % 16)) {
        bytes.replaceSubrange(
          start..<start + 9,
          with: [0, 0, 0, bytes[start] % 32, 0, 0, 0, bytes[start + 2] % 3, 1 + bytes[start + 1] % 7])
      }
      _ = try exchange(greeting + bytes)
    }
  }

  @Test func whoWaitsIsToldThatTheServerLives() throws {
    // The put waits for content that does not come; the server says so again and again.
    let requests = makePipe()
    let answers = makePipe()
    let storage = storage
    let server = ServerThread(requests.reading, answers.writing) { input, output in
      try ObjectServer(storage, input: input, output: output, aliveAfter: 0.01).run()
    }
    let helper = HelperScript(input: answers.reading, output: requests.writing)
    try helper.write(greeting + [0, 0, 0, 10, 0, 0, 0, 1, 4, 0, 0, 0, 0, 0, 0, 0, 9, 0, 97])
    let alive: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 70]
    var said: [UInt8] = []
    while !said.suffix(2 * alive.count).elementsEqual(alive + alive) {
      var byte: UInt8 = 0
      let count = try withUnsafeMutableBytes(of: &byte) { try StreamInput(answers.reading).read(into: $0) }
      #expect(count == 1)
      if count != 1 { break }
      said.append(byte)
    }
    close(requests.writing)
    try server.join()
    close(answers.reading)
  }

  /// The smallest whole helper, in another language.
  @Test func theExampleOfADocument() throws {
    let helper = #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/memory-helper.py"
    for name in ["in", "out"] {
      try folder.descriptor.makeNode(name.bytes, kind: .fifo, permissions: 0o600, major: 0, minor: 0)
    }
    let program = try RunningProgram(
      ["/bin/sh", "-c", "exec python3 \"$1\" <in >out", "sh", helper], in: folder.path,
      environment: ["PATH": getenv("PATH").map { String(cString: $0) }])
    // Each waits until the other side is there.
    let output = open("\(folder.path)/in", O_WRONLY | O_CLOEXEC)
    let input = open("\(folder.path)/out", O_RDONLY | O_CLOEXEC)
    try talk(HelperObjects(input: Descriptor(adopting: input), output: Descriptor(adopting: output)))
    #expect(try program.wait(timeout: 60).status == 0)
  }

  private func talk(_ client: HelperObjects) throws {
    let content = Content.random(3 << 20, seed: 5)
    try client.put(content, as: "packs/0a/one")
    try client.put([], as: "keys/two")
    #expect(try client.putIfAbsent(MemorySource(bytes: [3]), as: ObjectName(text: "keys/two")) == .exists)
    #expect(try client.putIfAbsent(MemorySource(bytes: [3]), as: ObjectName(text: "keys/three")) == .put)
    #expect(try client.read("packs/0a/one", at: 10, count: 4 << 20) == Array(content.dropFirst(10)))
    #expect(try client.size(of: ObjectName(text: "keys/three")) == 1)
    #expect(try client.names() == ["keys/three", "keys/two", "packs/0a/one"])
    #expect(throws: ObjectError(.local, "the disk is broken")) {
      try client.put(FailingSource(size: 3 << 20, good: 2 << 20), as: ObjectName(text: "bad"))
    }
    try client.remove(ObjectName(text: "keys/two"))
    #expect(try client.names("keys/") == ["keys/three"])
    #expect(throws: ObjectError.notFound(ObjectName(text: "bad"))) { try client.read("bad", count: 1) }
  }
}
