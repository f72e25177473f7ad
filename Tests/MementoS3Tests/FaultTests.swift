import MementoObjects
import MementoSystem
import NIOCore
import TestSupport
import Testing

@testable import MementoS3

/// What goes wrong on the way, and what is said of it.
@Suite(.enabled(if: Machine.has("python3"), "needs python3")) struct FaultTests {
  /// Everything that a storage does, twice.
  private func exercise(_ objects: BucketObjects) throws {
    let content = Content.random(100_000, seed: 5)
    let name = try #require(ObjectName("packs/x"))
    for round in 0..<2 {
      try objects.put(content, "packs/x")
      #expect(try objects.content("packs/x") == content)
      #expect(try objects.size(of: name) == 100_000)
      #expect(try objects.names() == ["packs/x"])
      if round == 0 { try objects.remove(name) }
    }
  }

  // Not "repeat": an answer that comes twice can end async-http-client, and with it all tests.
  @Test(arguments: [
    "drop", "lose", "truncate", "rubbish", "hang", "delay 0.2", "status 500 InternalError",
    "status 503 SlowDown",
    "status 502", "status 503", "status 429", "status 400 RequestTimeout", "status 409 OperationAborted", "page",
  ])
  func whatPassesDoesNoHarm(_ action: String) throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    for method in ["PUT", "GET", "DELETE"] {
      // A page of a proxy is taken for no object, but nobody can tell it from one that comes as a whole.
      try engine.fail("\(method) \(action == "page" && method == "GET" ? "list-type" : "*") 2 \(action)")
      if action == "page", method == "DELETE" { continue }
      try exercise(objects)
    }
  }

  @Test(arguments: ["drop", "lose", "truncate", "hang", "status 503 SlowDown", "page", "rubbish", "inside"])
  func partsAreRepeated(_ action: String) throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    let content = Content.random(BucketObjects.part + 5000, seed: 6)
    var rules = ["PUT partNumber=1 1 \(action)", "PUT partNumber=2 1 \(action)", "POST uploadId 1 \(action)"]
    if action == "inside" { rules = ["POST uploadId 2 inside"] }
    try engine.fail(rules.joined(separator: "\n"))
    try objects.put(content, "large")
    #expect(try objects.content("large") == content)
  }

  /// An answer that gives the mark of another content is found out when the parts are put together: by the engine, or by what
  /// it says of the whole.
  @Test(arguments: [false, true]) func aPartWithTheMarkOfAnotherIsPutAgain(_ isCareless: Bool) throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    let content = Content.random(BucketObjects.part + 5000, seed: 6)
    func uploads() throws -> Int { try engine.log().count { $0.hasPrefix("POST") && $0.contains("?uploads") } }
    try objects.put(content, "learnt")
    #expect(try uploads() == 1)
    try engine.fail("PUT other?partNumber=2 1 mark", isCareless ? "POST other?uploadId 1 careless" : "")
    try objects.put(content, "other")
    #expect(try objects.content("other") == content)
    #expect(try uploads() == 3)
    // From now on each mark is compared.
    try engine.fail("PUT third?partNumber=2 1 mark")
    try objects.put(content, "third")
    #expect(try objects.content("third") == content)
    #expect(try uploads() == 4)
  }

  /// The MD5 of the marks of the parts, as in the manual of S3.
  @Test func theMarkOfTheWholeTellsOfItsParts() throws {
    let marks = PutMarks()
    let parts = ["\"55a54008ad1ba589aa210d2629c1df41\"", "\"9E688C58A5487B8EAF69C9E1005AD0BF\""]
    let answer = HTTPAnswer(status: 200, headers: [("ETag", parts[0])], body: [], filled: 0, waited: 0)
    // Nothing is known of the marks of parts yet.
    #expect(marks.confirm("another", of: parts, areCompared: false))
    #expect(marks.mark(answer, ByteBuffer(bytes: [1]), isPart: true, last: nil) == parts[0])
    let whole = "\"89f278b82eac50fe5ffa10996a93343b-2\""
    #expect(marks.confirm(whole, of: parts, areCompared: false))
    #expect(!marks.confirm(whole, of: parts.reversed(), areCompared: false))
    #expect(!marks.confirm(nil, of: parts, areCompared: false))
    #expect(!marks.confirm(whole, of: [parts[0], "é"], areCompared: false))
    #expect(marks.confirm(nil, of: parts, areCompared: true))
  }

  /// An answer that is repeated is that of the next request. It must not hide that this one has failed.
  @Test func anAnswerToAnotherPutIsNone() throws {
    let marks = PutMarks()
    func answer(_ mark: String?) -> HTTPAnswer {
      HTTPAnswer(status: 200, headers: mark.map { [("ETag", $0)] } ?? [], body: [], filled: 0, waited: 0)
    }
    let one = ByteBuffer(bytes: [1])
    let two = ByteBuffer(bytes: [2])
    let hash = "\"55a54008ad1ba589aa210d2629c1df41\""
    #expect(marks.mark(answer(hash), one, isPart: false, last: nil) == hash)
    #expect(marks.mark(answer(hash), two, isPart: false, last: nil) == nil)
    #expect(marks.mark(answer(nil), one, isPart: false, last: nil) == nil)
    // Of parts it says something else; that is learnt from the first one.
    #expect(marks.mark(answer("\"a\""), one, isPart: true, last: nil) == "\"a\"")
    #expect(marks.mark(answer("\"b\""), two, isPart: true, last: nil) == "\"b\"")
    // The mark of nothing is no mark of something, also as the first that is learnt from.
    let nothing = "\"d41d8cd98f00b204e9800998ecf8427e\""
    #expect(PutMarks().mark(answer(nothing), one, isPart: false, last: nil) == nil)
    #expect(PutMarks().mark(answer(nothing), ByteBuffer(), isPart: false, last: nil) == nothing)
    // A mark of a part is believed if no answer had it before.
    let parts = PutMarks()
    let other = "\"0123456789abcdef0123456789abcdef\""
    #expect(parts.mark(answer(hash), one, isPart: true, last: nil) == hash)
    #expect(parts.mark(answer(other), two, isPart: true, last: nil) == other)
    #expect(parts.mark(answer(other), one, isPart: true, last: nil) == nil)
    #expect(parts.mark(answer(nothing), one, isPart: true, last: nil) == nil)
    parts.beStrict()
    #expect(parts.mark(answer("\"f123456789abcdef0123456789abcdef\""), one, isPart: true, last: nil) == nil)
    #expect(parts.mark(answer(hash), one, isPart: true, last: nil) == hash)
    // What is said twice is so.
    #expect(marks.mark(answer("\"c\""), one, isPart: false, last: "\"c\"") == "\"c\"")
  }

  /// What lasts ends in time, with a word of its own.
  @Test func whatLastsHasItsWord() throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    try objects.put([1], "x")
    let cases: [(String, ObjectError.Kind, String)] = [
      ("drop", .unreachable, "the connection was lost"),
      ("hang", .unreachable, "no progress"),
      ("rubbish", .unreachable, "the connection was lost"),
      ("page", .garbled, "makes no sense"),
      ("status 503 SlowDown", .failed, "SlowDown"),
      ("status 500", .failed, "status 500"),
      ("status 404 NoSuchBucket", .noSuchPlace, "there is no bucket bucket at http://127.0.0.1"),
      ("status 404", .garbled, "does not answer as an object store"),
      ("status 403 AccessDenied", .denied, "AccessDenied"),
      ("status 401", .denied, "status 401"),
      ("status 403 QuotaExceeded", .full, "QuotaExceeded"),
      ("status 507", .full, "no space or quota"),
      ("status 403 RequestTimeTooSkewed", .clock, "the clock here"),
      ("status 400 ExpiredToken", .denied, "have expired"),
      ("status 405 MethodNotAllowed", .failed, "MethodNotAllowed: told & asked"),
      ("redirect http://192.0.2.1/", .unreachable, "sends elsewhere"),
      ("inside", .garbled, "makes no sense"),
    ]
    for (action, kind, word) in cases {
      try engine.fail("* * 1000 \(action)")
      let start = Clock.monotonicSeconds()
      let error = failure { try objects.names() }
      #expect(
        error?.kind == kind && error?.reason.contains(word) == true, "\(action): \(error.map(\.reason) ?? "none")")
      #expect(error?.reason.contains(FakeEngine.secret) == false)
      #expect(Clock.monotonicSeconds() - start < 30, "\(action)")
      let write = failure { try objects.put([2], "y") }
      #expect(write?.kind == kind, "\(action): \(write.map(\.reason) ?? "none")")
    }
    try engine.fail()
    #expect(try objects.names() == ["x"])
  }

  @Test func falsifiedAnswers() throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    let content = Content.random(1000, seed: 1)
    try objects.put(content, "x")
    try engine.fail("GET list-type 1 falsify")
    #expect(try objects.names() == ["x"])
    try engine.fail("GET list-type 1000 falsify")
    #expect(failure { try objects.names() }?.kind == .garbled)
    // What an object holds is checked by those who read it.
    try engine.fail("GET /x 1 falsify")
    #expect(try objects.content("x") != content)
  }

  @Test func theTimeOfTheEngineSaysWhoseClockIsOff() throws {
    let engine = try FakeEngine()
    try engine.fail("* * 1000 clock -7200")
    let error = failure { try engine.objects().names() }
    #expect(error?.kind == .clock && error?.reason == "the clock here is 120 minutes ahead of that of the engine")
  }

  @Test func wrongCredentials() throws {
    let engine = try FakeEngine("token=good", "expired=old")
    let good = ["AWS_SESSION_TOKEN": "good"]
    func word(_ more: [String: String]) throws -> String? {
      let error = failure { try engine.objects("s3://bucket", good.merging(more) { $1 }).names() }
      #expect(error?.kind == .denied)
      return error?.reason
    }
    #expect(try engine.objects("s3://bucket", good).names() == [])
    #expect(try word(["AWS_ACCESS_KEY_ID": "other"]) == "the access key is not known there (InvalidAccessKeyId)")
    #expect(try word(["AWS_SECRET_ACCESS_KEY": "other"])?.hasPrefix("the secret of the access key is wrong") == true)
    #expect(try word(["AWS_SESSION_TOKEN": "other"])?.contains("InvalidToken") == true)
    #expect(try word(["AWS_SESSION_TOKEN": "old"])?.contains("expired") == true)
  }

  @Test func nobodyThere() throws {
    let engine = try FakeEngine()
    for endpoint in ["http://127.0.0.1:1", "http://no-such-host.invalid"] {
      let start = Clock.monotonicSeconds()
      let error = failure { try engine.objects("s3://bucket", ["AWS_ENDPOINT_URL_S3": endpoint]).names() }
      #expect(error?.kind == .unreachable && error?.reason.contains(endpoint) == true, "\(error?.reason ?? "none")")
      #expect(Clock.monotonicSeconds() - start < 10)
    }
  }

  @Test func aFullBucket() throws {
    let engine = try FakeEngine("quota=1000")
    let objects = try engine.objects()
    #expect(failure { try objects.put(Content.random(2000, seed: 1), "x") }?.kind == .full)
    #expect(failure { try objects.put(Content.random(9 << 20, seed: 1), "x") }?.kind == .full)
    try objects.put([1], "x")
  }

  @Test func anEndIsHeeded() throws {
    let engine = try FakeEngine()
    let objects = try engine.objects()
    try objects.put([1], "x")
    objects.cancel()
    #expect(failure { try objects.names() }?.kind == .cancelled)
  }

  @Test func triesAreCounted() {
    var limits = RetryLimits()
    limits.allSilence = 10
    var count = RetryCount(limits)
    #expect(count.patience == limits.allSilence)
    let first = count.pause(afterSilence: 4, isReached: true)
    #expect(first.map { $0 > 0 && $0 <= 0.1 } == true && count.patience <= 6)
    #expect(count.pause(afterSilence: 0, atLeast: 1, isReached: true) == 1)
    #expect(count.pause(afterSilence: 7, isReached: true) == nil)
    var new = RetryCount(limits)
    for _ in 1..<limits.firstTries { #expect(new.pause(afterSilence: 0, isReached: false) != nil) }
    #expect(new.pause(afterSilence: 0, isReached: false) == nil && new.tries == limits.firstTries)
  }
}
