// The same bytes make the same chunks, whatever they are read from and by however many workers.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Fails after some reads.
private struct FailingSource: ByteSource {
  private var source: StreamSource
  private var readsLeft: Int

  init(_ descriptor: Int32, after reads: Int) {
    source = StreamSource(StreamInput(descriptor))
    readsLeft = reads
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> SourceBytes {
    if readsLeft == 0 { throw .invalid }
    readsLeft -= 1
    return try source.read(into: buffer)
  }

  mutating func use(_ count: Int, of bytes: UnsafeRawBufferPointer) {
    source.use(count, of: bytes)
  }
}

/// Cancels when so many bytes were stored.
private final class CancellingMonitor: Monitor {
  private let left: Atomic<Int>

  init(after bytes: Int) {
    left = Atomic(bytes)
  }

  func begin(_ phase: Phase) {}
  func advance(files: Int, bytes: UInt64) { left.subtract(Int(bytes), ordering: .relaxed) }
  func report(_ problem: Problem) {}
  var isCancelled: Bool { left.load(ordering: .relaxed) <= 0 }
}

struct ContentSaverTests {
  private static let sizes = [
    0, 1, 100, 65_536, 262_144, 1 << 20, (1 << 20) + 1, (1 << 20) + (256 << 10), (1 << 20) + (256 << 10) + 1,
    (9 << 20) + 3,
  ]
  private static let workers = 3

  private let shop: RepositoryFixture
  private let store: Store
  private let chunker: Chunker

  init() throws {
    shop = try RepositoryFixture()
    store = shop.repository.store
    chunker = Chunker(sizes: store.config.chunkSizes)
  }

  private func writer() -> ObjectWriter { ObjectWriter(.memory(ScratchObjects(over: store)), store: store) }

  private func file(_ bytes: [UInt8]) throws -> SharedDescriptor {
    try shop.outside.write("content".bytes, bytes)
    return SharedDescriptor(try Descriptor.open(shop.outside.path + "/content".bytes, .namedFile))
  }

  /// By several workers. `.failure` holds every error that a worker met.
  private func together(_ source: some ByteSource) -> (content: [SizedContent], errors: [ReadFailure]) {
    let saver = ContentSaver(source, chunker: chunker)
    let writers = (0..<ContentSaverTests.workers).map { _ in writer() }
    let found = Mutex<(content: [SizedContent], errors: [ReadFailure])>(([], []))
    let stack = WorkStack<Int>()
    stack.push(0..<writers.count)
    stack.run(workers: writers.count) { worker, _ in
      do throws(ReadFailure) {
        let content = try saver.work(writers[worker], isStopped: { false }, progress: { _ in })
        if let content { found.withLock { $0.content.append(content) } }
      } catch {
        found.withLock { $0.errors.append(error) }
      }
    }
    return found.withLock { $0 }
  }

  @Test(arguments: sizes)
  func everySourceMakesTheSameChunks(_ size: Int) throws {
    let bytes = Content.random(size, seed: UInt64(size))
    let file = try file(bytes)
    let status = try file.descriptor.status()
    let expected = try ContentCutter(FileSource(file, status: status), chunker: chunker).save(to: writer())
    #expect(expected.size == UInt64(size))
    #expect(try writer().storeContent(bytes, chunker: chunker) == expected)
    #expect(together(FileSource(file, status: status)).content == [expected])
    let stream = StreamSource(StreamInput(file.descriptor.raw))
    #expect(try ContentCutter(stream, chunker: chunker).save(to: writer()) == expected)
    try file.descriptor.rewind()
    #expect(together(StreamSource(StreamInput(file.descriptor.raw))).content == [expected])
    let memory = bytes.withUnsafeBytes { together(MemorySource($0)).content }
    #expect(memory == [expected])
  }

  @Test func aPipeThatGivesLittleAtATimeMakesTheSameChunks() throws {
    let bytes = Content.random((3 << 20) + 17, seed: 5)
    let expected = try writer().storeContent(bytes, chunker: chunker)
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (input, output) = (ends[0], ends[1])
    let found = Mutex<[SizedContent]>([])
    let stack = WorkStack<Bool>()
    stack.push([true, false])
    stack.run(workers: 2) { _, writes in
      if writes {
        for start in stride(from: 0, to: bytes.count, by: 50_001) {
          let part = Array(bytes[start..<min(start + 50_001, bytes.count)])
          part.withUnsafeBytes { part in
            do throws(Errno) { try StreamOutput(output).write(part) } catch { Issue.record("\(error)") }
          }
        }
        _ = close(output)
      } else {
        let content = together(StreamSource(StreamInput(input))).content
        found.withLock { $0 += content }
      }
    }
    _ = close(input)
    #expect(found.withLock { $0 } == [expected])
  }

  @Test func holesAreTheSameForAllWorkers() throws {
    let place = shop.outside.path + "/sparse".bytes
    let file = SharedDescriptor(try Descriptor.open(place, .create))
    try file.descriptor.write(Content.random(3 << 20, seed: 1), at: 5 << 20)
    try file.descriptor.write(Content.random(100, seed: 2), at: 20 << 20)
    try file.descriptor.truncate(to: 40 << 20)
    let status = try file.descriptor.status()
    let expected = try ContentCutter(FileSource(file, status: status), chunker: chunker).save(to: writer())
    #expect(expected.size == 40 << 20)
    #expect(together(FileSource(file, status: status)).content == [expected])
  }

  @Test(arguments: [0, 1, 4])
  func aSourceThatFailsIsToldOnce(_ reads: Int) throws {
    let file = try file(Content.random(9 << 20, seed: 3))
    let found = together(FailingSource(file.descriptor.raw, after: reads))
    #expect(found.content == [])
    try #require(found.errors.count == 1)
    guard case .source(.invalid) = found.errors[0] else {
      Issue.record("\(found.errors[0])")
      return
    }
  }

  /// A file, a value from a descriptor and one from memory share their content.
  @Test(arguments: [5 << 20, 100_000])
  func valuesShareTheChunksOfFiles(_ size: Int) throws {
    let bytes = Content.random(size, seed: 9)
    try shop.folder.write("file".bytes, bytes)
    try shop.save("folder")
    let file = try file(bytes)
    let stored = try shop.repository.saveValue(readingFrom: file.descriptor.raw, as: "stream").bytesStored
    #expect(stored < 1024)
    try shop.repository.saveValues([NamedValue(name: "memory", bytes: bytes)])
    let entry = try shop.repository.entry("folder", path: BytePath("file"))
    let content = SizedContent(size: UInt64(size), content: try #require(entry.content))
    #expect(try shop.record("stream").body == .value(content))
    #expect(try shop.record("memory").body == .value(content))
    #expect(try shop.repository.content(ofState: "memory")?.value == bytes)
    #expect(try shop.repository.verify(readData: true).damage == [])
  }

  @Test func aCancelledValueLeavesNothing() throws {
    let bytes = Content.random(12 << 20, seed: 4)
    let file = try file(bytes)
    for limit in [1, 3 << 20] {
      try file.descriptor.rewind()
      let failed = code {
        try shop.repository.saveValue(
          readingFrom: file.descriptor.raw, as: "x", monitor: CancellingMonitor(after: limit))
      }
      #expect(failed == .cancelled)
    }
    let failed = code {
      try shop.repository.saveValues(
        [NamedValue(name: "x", bytes: bytes)], monitor: CancellingMonitor(after: 2 << 20))
    }
    #expect(failed == .cancelled)
    #expect(try shop.repository.states() == [])
    #expect(try shop.storeFolder.folder("packs").names() == [])
    #expect(try shop.storeFolder.folder("tmp").names() == [])
  }

  @Test func aDryRunStoresNothing() throws {
    let file = try file(Content.random(5 << 20, seed: 6))
    var options = ValueOptions()
    options.isDryRun = true
    let summary = try shop.repository.saveValue(readingFrom: file.descriptor.raw, as: "x", options)
    #expect(summary.bytesRead == 5 << 20)
    #expect(summary.bytesStored == 0)
    #expect(try shop.storeFolder.folder("packs").names() == [])
  }
}
