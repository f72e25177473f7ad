import Crypto
import MementoObjects
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoS3

/// Large objects whose hash is known: they are sent with one request while they are read.
@Suite(.enabled(if: Machine.has("python3"), "needs python3")) struct WholeUploadsTests {
  /// A content in memory that tells its hash.
  private final class Hashed: ObjectSource {
    let bytes: [UInt8]
    /// Seconds of a pause in the middle of it.
    let pause: Double
    /// From here on it cannot be read.
    let good: Int
    let most = Mutex(0)

    init(_ bytes: [UInt8], pause: Double = 0, good: Int = .max) {
      self.bytes = bytes
      self.pause = pause
      self.good = good
    }

    var size: UInt64 { UInt64(bytes.count) }

    func contentHash() -> [UInt8]? { Array(SHA256.hash(data: bytes)) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(ObjectError) {
      let range = Int(offset)..<Int(offset) + buffer.count
      if range.upperBound > good { throw ObjectError(.local, "the disk is gone") }
      if pause > 0, range.contains(bytes.count / 2) { Clock.sleep(seconds: pause) }
      most.withLock { $0 = max($0, buffer.count) }
      bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
  }

  private static let content = Content.random(BucketObjects.part + (3 << 20) + 12345, seed: 3)

  /// The requests that change something, by their methods; `POST` begins or ends an upload in parts.
  private func writes(_ engine: FakeEngine) throws -> [String] {
    try engine.log().map { String($0.prefix { $0 != " " }) }.filter { $0 != "GET" }
  }

  /// Puts the content; then it is there, whatever happens on the way.
  private func expectPut(_ name: String, _ objects: BucketObjects) throws {
    try objects.put(Hashed(WholeUploadsTests.content), as: #require(ObjectName(name)))
    #expect(try objects.content(name) == WholeUploadsTests.content)
  }

  @Test func isOneRequest() throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    let source = Hashed(WholeUploadsTests.content)
    try objects.put(source, as: #require(ObjectName("packs/large")))
    #expect(try objects.content("packs/large") == source.bytes)
    #expect(try engine.log().map { $0.split(separator: " ").first } == ["PUT", "GET", "GET"])
    // Little of it is in memory.
    #expect(source.most.withLock { $0 } <= 1 << 20)
    // What tells no hash goes in parts, and so does what is larger than an engine takes at once.
    try objects.put(source.bytes, "packs/parts")
    #expect(try writes(engine) == ["PUT", "POST", "PUT", "PUT", "POST"])
  }

  /// Engines whose marks are no MD5 say the same when they are asked.
  @Test func marksOfAnotherKind() throws {
    let engine = try FakeEngine("marks=opaque")
    let objects = try engine.objects()
    for name in ["one", "two"] { try objects.put(Hashed(WholeUploadsTests.content), as: #require(ObjectName(name))) }
    #expect(try writes(engine) == ["PUT", "PUT"])
    #expect(try objects.content("two") == WholeUploadsTests.content)
  }

  /// What passes is repeated as it was, and whatever happens, the object is there.
  @Test(arguments: ["status 503 SlowDown", "status 500", "early 503 SlowDown", "page", "delay 0.3"])
  func whatPassesIsRepeated(_ action: String) throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    try engine.fail("PUT large 1 \(action)")
    try expectPut("large", objects)
    #expect(try !writes(engine).contains("POST"))
  }

  /// After a connection was lost, or an answer that was not about this object, it goes in parts, and so do the next ones.
  @Test(arguments: [
    "drop", "lose", "cut", "rubbish", "mark", "hang", "status 413", "early 400 EntityTooLarge", "half",
  ])
  func whatIsLostGoesInParts(_ action: String) throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    try engine.fail("PUT large 1 \(action)")
    try expectPut("large", objects)
    #expect(try writes(engine) == ["PUT", "POST", "PUT", "PUT", "POST"])
    try engine.fail()
    try objects.put(Hashed(WholeUploadsTests.content), as: #require(ObjectName("next")))
    #expect(try writes(engine).suffix(4) == ["POST", "PUT", "PUT", "POST"])
  }

  /// An engine may take longer than nothing may move. When it stands still then, that alone was silence, and parts may go.
  @Test(arguments: [false, true]) func slownessIsNoSilence(_ standsStill: Bool) throws {
    var limits = FakeEngine.limits
    limits.silence = 6
    limits.allSilence = 8
    let engine = try FakeEngine()
    let objects = try engine.objects(limits: limits)
    try engine.fail("PUT large 1 \(standsStill ? "stall" : "slow") 4")
    try expectPut("large", objects)
    #expect(try writes(engine) == (standsStill ? ["PUT", "POST", "PUT", "PUT", "POST"] : ["PUT"]))
  }

  /// What the engine does not have, whatever it has answered, goes in parts.
  @Test func whatIsNotThereGoesInParts() throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    try engine.fail("GET large 1 status 404 NoSuchKey")
    try expectPut("large", objects)
    #expect(try writes(engine) == ["PUT", "POST", "PUT", "PUT", "POST"])
  }

  /// An engine that cannot take it now may take parts of it, and the next one as a whole.
  @Test func anEngineThatIsBusyGetsParts() throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    try engine.fail("PUT large?partNumber=1 1 status 503 SlowDown", "PUT large 2 status 504")
    try objects.put(Hashed(WholeUploadsTests.content), as: #require(ObjectName("large")))
    try objects.put(Hashed(WholeUploadsTests.content), as: #require(ObjectName("next")))
    #expect(try writes(engine).filter { $0 == "POST" }.count == 2 && writes(engine).last == "PUT")
    for name in ["large", "next"] { #expect(try objects.content(name) == WholeUploadsTests.content) }
  }

  /// The time of silence counts from what moved last, also over the tries of both ways.
  @Test func silenceIsTold() throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    try engine.fail("* * 1000 hang")
    let start = Clock.monotonicSeconds()
    let error = failure { try objects.put(Hashed(WholeUploadsTests.content), as: #require(ObjectName("large"))) }
    #expect(error?.kind == .unreachable && error?.reason.contains("no progress for 3 seconds") == true)
    #expect(Clock.monotonicSeconds() - start < 20)
  }

  /// An end does not begin an upload in parts.
  @Test func anEndIsTheEnd() throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    try engine.fail("PUT large 1 delay 1")
    let source = Hashed(WholeUploadsTests.content)
    let end = WaitingLock(false)
    var threads = WorkerThreads()
    #expect(
      threads.start {
        while source.most.withLock({ $0 }) == 0 { Clock.sleep(seconds: 0.01) }
        objects.cancel()
        end.withLock { $0 = true }
      })
    #expect(failure { try objects.put(source, as: #require(ObjectName("large"))) }?.kind == .cancelled)
    threads.join()
    #expect(try end.withLock { $0 } && !writes(engine).contains("POST"))
  }

  @Test func whatCannotBeOtherwiseEnds() throws {
    let engine = try FakeEngine("quota=1000000")
    let objects = try engine.objects()
    let name = try #require(ObjectName("large"))
    #expect(failure { try objects.put(Hashed(WholeUploadsTests.content), as: name) }?.kind == .full)
    for action in ["status 403 AccessDenied", "early 403 AccessDenied"] {
      try engine.fail("PUT * 1 \(action)")
      #expect(failure { try objects.put(Hashed(WholeUploadsTests.content), as: name) }?.kind == .denied)
    }
    #expect(try writes(engine) == ["PUT", "PUT", "PUT"] && objects.names() == [])
    try engine.fail("PUT * 1000 hang")
    let silent = failure { try objects.put(Hashed(WholeUploadsTests.content), as: name) }
    #expect(silent?.kind == .unreachable && silent?.reason.contains("no progress") == true, "\(silent?.reason ?? "")")
  }

  /// The content cannot be read to its end: nothing is there, and the error is that of the content.
  @Test func aContentThatEnds() throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    for good in [0, 5 << 20, BucketObjects.part + (3 << 20)] {
      let source = Hashed(WholeUploadsTests.content, good: good)
      let error = failure { try objects.put(source, as: #require(ObjectName("large"))) }
      #expect(error == ObjectError(.local, "the disk is gone"), "\(good)")
    }
    #expect(try objects.names() == [])
    try expectPut("large", objects)
  }

  /// The disk here may be slow without the network being so.
  @Test func aSlowContentIsNoSilence() throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    let source = Hashed(WholeUploadsTests.content, pause: 2 * FakeEngine.limits.silence)
    try objects.put(source, as: #require(ObjectName("large")))
    #expect(try writes(engine) == ["PUT"])
  }

  /// Several at once, of which some are lost.
  @Test func manyAtOnce() throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    try engine.fail("PUT packs/3 1 cut", "PUT packs/5 1 early 503 SlowDown", "PUT packs/1 1 lose")
    let failures = Mutex<[ObjectError]>([])
    let puts = WorkStack<Int>()
    puts.push(0..<8)
    puts.run(workers: 4) { _, number in
      do throws(ObjectError) {
        guard let name = ObjectName("packs/\(number)") else { return }
        try objects.put(Hashed([UInt8(number)] + WholeUploadsTests.content), as: name)
      } catch {
        failures.withLock { $0.append(error) }
      }
    }
    #expect(failures.withLock { $0 } == [])
    for number in 0..<8 {
      #expect(try objects.content("packs/\(number)") == [UInt8(number)] + WholeUploadsTests.content)
    }
  }
}
