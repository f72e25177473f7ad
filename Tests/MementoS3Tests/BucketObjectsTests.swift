import MementoObjects
import MementoSystem
import TestSupport
import Testing

@testable import MementoS3

/// Everything that a storage does, against an engine that checks the signatures.
@Suite(.enabled(if: Machine.has("python3"), "needs python3")) struct BucketObjectsTests {
  @Test func objectsComeAndGo() throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    let start = Clock.now().seconds
    #expect(try objects.names() == [])
    let content = Content.random(300_000, seed: 1)
    try objects.put(content, "packs/0a/one")
    try objects.put([], "refs/none")
    #expect(try objects.content("packs/0a/one") == content)
    #expect(try objects.content("packs/0a/one", at: 1000, count: 10) == Array(content[1000..<1010]))
    #expect(try objects.content("packs/0a/one", at: 299_990, count: 100) == Array(content[299_990...]))
    #expect(try objects.content("packs/0a/one", at: 300_000, count: 10) == [])
    #expect(try objects.content("packs/0a/one", at: .max - 5, count: 10) == [])
    #expect(try objects.content("refs/none") == [])
    let one = try #require(ObjectName("packs/0a/one"))
    let none = try #require(ObjectName("refs/none"))
    #expect(try objects.size(of: one) == 300_000 && objects.size(of: none) == 0)
    let page = try objects.list("packs/", page: nil)
    #expect(page.objects.map(\.name) == [one] && page.objects[0].size == 300_000 && page.next == nil)
    #expect(abs(page.now.seconds - start) < 60 && abs(page.objects[0].modified.seconds - start) < 60)
    // Only what is below the prefix is there, and what is no name of memento is passed over.
    #expect(try engine.objects("s3://bucket/a").names() == ["b/packs/0a/one", "b/refs/none"])
    #expect(try engine.objects("s3://bucket/a/").names("b/r") == ["b/refs/none"])
    #expect(try engine.objects("s3://bucket/a/b/pack").names() == [])
    try objects.put([1], "refs/none")
    #expect(try objects.content("refs/none") == [1])
    try objects.remove(one)
    try objects.remove(one)
    #expect(failure { try objects.content("packs/0a/one") } == .notFound(one))
    #expect(failure { try objects.size(of: one) } == .notFound(one))
    #expect(try objects.names() == ["refs/none"])
  }

  @Test func listingsComeInPages() throws {
    let engine = try FakeEngine("page=3")
    let objects = try engine.objects("s3://bucket/it%27s%20%26%20%C3%A9")
    let names = ["a-b", "a.b", "a/b", "a/b-c", "a0", "b", "c/d"].sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    for name in names.reversed() { try objects.put([0], name) }
    #expect(try objects.names() == names)
    #expect(try objects.names("a/") == ["a/b", "a/b-c"])
    #expect(try engine.log().filter { $0.hasPrefix("GET") }.count == 4)
  }

  @Test func largeObjectsGoInParts() throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    let content = Content.random(2 * BucketObjects.part + 12345, seed: 2)
    try objects.put(content, "packs/large")
    #expect(try objects.content("packs/large") == content)
    let puts = try engine.log().filter { !$0.hasPrefix("GET") }
    #expect(puts.map { $0.split(separator: " ")[0] } == ["POST", "PUT", "PUT", "PUT", "POST"])
    try objects.put(Array(content.prefix(BucketObjects.part)), "packs/less")
    #expect(try engine.log().filter { !$0.hasPrefix("GET") }.count == 6)
    #expect(MultipartUpload.partSize(1 << 40) == 105 << 20 && MultipartUpload.partSize(9 << 20) == BucketObjects.part)
  }

  /// The content of one part comes only when the next is asked for as well.
  @Test func partsOfOneObjectGoTogether() throws {
    struct Waiting: ObjectSource {
      let size = UInt64(2 * BucketObjects.part)
      let begun = WaitingLock<Set<UInt64>>([])
      func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(ObjectError) {
        begun.withLock { _ = $0.insert(offset / UInt64(BucketObjects.part)) }
        begun.wake()
        let end = Clock.monotonicSeconds() + 30
        try begun.wait(checkingEvery: 1) { (begun) throws(ObjectError) -> Void? in
          if begun.count == 2 { return () }
          if Clock.monotonicSeconds() > end { throw ObjectError(.local, "one part waits for the other") }
          return nil
        }
        buffer.initializeMemory(as: UInt8.self, repeating: UInt8(offset / UInt64(BucketObjects.part)))
      }
    }
    let engine = try FakeEngine()
    let objects = try engine.objects()
    try objects.put(Waiting(), as: #require(ObjectName("packs/two")))
    let content = try objects.content("packs/two")
    #expect(content.count == 2 * BucketObjects.part && content.first == 0 && content.last == 1)
  }

  @Test func anUploadThatFailsIsTakenBack() throws {
    struct Cut: ObjectSource {
      let size = UInt64(BucketObjects.part + 100)
      func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(ObjectError) {
        if offset > 0 { throw ObjectError(.local, "the disk is gone") }
        buffer.initializeMemory(as: UInt8.self, repeating: 1)
      }
    }
    let engine = try FakeEngine()
    let objects = try engine.objects()
    #expect(failure { try objects.put(Cut(), as: #require(ObjectName("x"))) }?.reason == "the disk is gone")
    #expect(try engine.log().last?.hasPrefix("DELETE /bucket/a/b/x?uploadId=") == true)
    // Refused: the same, also when everything has ended.
    try engine.fail("PUT partNumber=1 1 status 403 AccessDenied")
    #expect(failure { try objects.put(Content.random(9 << 20, seed: 1), "x") }?.kind == .denied)
    #expect(try engine.log().last?.hasPrefix("DELETE") == true && objects.names() == [])
  }

  @Test func onlyWhereThereIsNone() throws {
    let name = try #require(ObjectName("format/founder"))
    func outcome(_ condition: String, knows: Bool = true) throws -> [ConditionalPut] {
      let engine = try FakeEngine("condition=\(condition)")
      let objects = try engine.objects()
      if knows { try objects.put([9], "format/marker") }
      let first = try objects.putIfAbsent(ObjectBytes([1]), as: name)
      let second = try objects.putIfAbsent(ObjectBytes([2]), as: name)
      if first == .put { #expect(try objects.content("format/founder") == [1]) }
      if first == .unsupported { #expect(try !objects.names().contains("format/founder")) }
      if knows { #expect(try objects.content("format/marker") == [9]) }
      return [first, second]
    }
    #expect(try outcome("yes") == [.put, .exists])
    #expect(try outcome("no") == [.unsupported, .unsupported])
    // An engine that passes over the condition is found out before anything is lost.
    #expect(try outcome("ignored") == [.unsupported, .unsupported])
    // Without an object to try it on, nobody can know.
    #expect(try outcome("yes", knows: false) == [.unsupported, .unsupported])
  }

  @Test func aConditionalPutWhoseAnswerIsLost() throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    let name = try #require(ObjectName("format/founder"))
    try objects.put([9], "format/marker")
    try engine.fail("PUT founder 1 lose")
    #expect(try objects.putIfAbsent(ObjectBytes([1]), as: name) == .put)
    try engine.fail("PUT founder 1 lose")
    #expect(try objects.putIfAbsent(ObjectBytes([2]), as: name) == .exists)
    #expect(try objects.content("format/founder") == [1])
  }

  @Test func styleAndRegion() throws {
    let engine = try FakeEngine("region=mars-1")
    // The names below localhost are this machine. The region is learnt once.
    let url = "s3://bucket/p?endpoint=http%3A%2F%2Flocalhost%3A\(engine.port)"
    let objects = try engine.objects(url + "&path-style=true")
    try objects.put([1], "x")
    try objects.put([1], "y")
    #expect(try engine.log().count == 3)
    #expect(try engine.objects(url + "&region=mars-1").names() == ["x", "y"])
    #expect(try engine.log().count == 4)
    #expect(try engine.objects("s3://bucket/p", ["AWS_REGION": "mars-1"]).names() == ["x", "y"])
    #expect(try engine.log().count == 5)
  }
}
