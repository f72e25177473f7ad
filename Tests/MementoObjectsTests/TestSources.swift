// Contents to put, and pipes between a program and a helper in the same process.

import MementoObjects
import MementoSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A content in memory.
struct MemorySource: ObjectSource {
  let bytes: [UInt8]

  var size: UInt64 { UInt64(bytes.count) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(ObjectError) {
    guard Int(offset) + buffer.count <= bytes.count else { throw ObjectError(.local, "read behind the end") }
    buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + buffer.count])
  }
}

/// A content that cannot be read from a certain place on.
struct FailingSource: ObjectSource {
  let size: UInt64
  let good: UInt64

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(ObjectError) {
    guard offset + UInt64(buffer.count) <= good else { throw ObjectError(.local, "the disk is broken") }
    buffer.initializeMemory(as: UInt8.self, repeating: 7)
  }
}

extension ObjectName {
  init(text: String) {
    guard let name = ObjectName(text) else { fatalError("no name: \(text)") }
    self = name
  }
}

extension ObjectStorage {
  func put(_ bytes: [UInt8], as name: String) throws(ObjectError) {
    try put(MemorySource(bytes: bytes), as: ObjectName(text: name))
  }

  func read(_ name: String, at offset: UInt64 = 0, count: Int) throws(ObjectError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var failure: ObjectError?
    let found = bytes.withUnsafeMutableBytes { buffer in
      do throws(ObjectError) {
        return try read(ObjectName(text: name), at: offset, into: buffer)
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    return Array(bytes[..<found])
  }

  /// The names of all pages.
  func names(_ prefix: String = "") throws(ObjectError) -> [String] {
    var names: [String] = []
    var page: String?
    repeat {
      let found = try list(prefix, page: page)
      names += found.objects.map(\.name.text)
      page = found.next
    } while page != nil
    return names
  }
}

/// Both ends of a new pipe, as numbers that nobody owns yet.
func makePipe() -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [-1, -1]
  guard pipe(&ends) == 0 else { fatalError("no pipe: \(Errno.current)") }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  signal(SIGPIPE, SIG_IGN)
  return (ends[0], ends[1])
}

/// A storage behind a server behind a client, all in this process.
final class ServedObjects: Sendable {
  let client: HelperObjects
  /// The server. It ends when the client is released.
  let thread: ServerThread

  init(
    _ storage: any ObjectStorage, parallel: Int = 4, takesHashes: Bool = false,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws {
    let requests = makePipe()
    let answers = makePipe()
    thread = ServerThread(requests.reading, answers.writing) { input, output in
      try ObjectServer(storage, input: input, output: output, parallel: parallel, takesHashes: takesHashes).run()
    }
    client = try HelperObjects(
      input: Descriptor(adopting: answers.reading), output: Descriptor(adopting: requests.writing),
      isCancelled: isCancelled)
  }
}

/// The other side of two pipes, on a thread of its own. Both are closed when it ends.
final class ServerThread: Sendable {
  private let result = WaitingLock<Result<Void, any Error>?>(nil)

  init(
    _ input: Int32, _ output: Int32,
    _ body: @escaping @Sendable (Int32, Int32) throws -> Void
  ) {
    let result = result
    var threads = WorkerThreads()
    let isStarted = threads.start {
      let end = Result { try body(input, output) }
      close(input)
      close(output)
      result.withLock { $0 = end }
      result.wake()
    }
    if !isStarted { fatalError("no thread") }
    threads.detach()
  }

  /// Waits until it has ended, and throws what it has thrown.
  func join() throws {
    try result.wait(checkingEvery: 10) { $0 }.get()
  }
}
