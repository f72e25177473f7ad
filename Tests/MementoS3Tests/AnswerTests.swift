import MementoTime
import Testing

@testable import MementoS3

struct AnswerTests {
  private func listing(_ entries: String, truncated: String = "false") throws -> ListingAnswer {
    try ListingAnswer(
      Array("<ListBucketResult><IsTruncated>\(truncated)</IsTruncated>\(entries)</ListBucketResult>".utf8))
  }

  private func entry(_ key: String, _ size: String = "3", _ time: String = "2013-05-24T00:00:01.500Z") -> String {
    "<Contents><Key>\(key)</Key><LastModified>\(time)</LastModified><Size>\(size)</Size><Owner><ID>x</ID></Owner></Contents>"
  }

  @Test func aListing() throws {
    let found = try listing(entry("a&amp;b") + entry("c", "18446744073709551615"), truncated: "true")
    #expect(found.isTruncated && found.entries.map(\.key) == ["a&b", "c"])
    #expect(found.entries[0].modified == Timestamp(seconds: 1_369_353_601, nanoseconds: 500_000_000))
    #expect(found.entries.map(\.size) == [3, .max])
    #expect(try listing("<Prefix>p/</Prefix>").prefix == "p/" && listing("").prefix == nil)
    #expect(try listing("") == listing("<CommonPrefixes><Prefix>x</Prefix></CommonPrefixes>"))
  }

  @Test func whatIsNoListing() {
    for entries in [
      entry("a", "-1"), entry("a", "18446744073709551616"), entry("a", ""), entry("a", "3", "yesterday"),
      entry("a", "3", "2013-02-30T00:00:00Z"), "<Contents></Contents>", String(repeating: entry("a"), count: 10_001),
    ] {
      #expect(throws: XMLReader.Failure.self) { try listing(entries) }
    }
    #expect(throws: XMLReader.Failure.self) { try listing("", truncated: "perhaps") }
    #expect(throws: XMLReader.Failure.self) { try ListingAnswer(Array("<Error><Code>a</Code></Error>".utf8)) }
    #expect(throws: XMLReader.Failure.self) { try ListingAnswer(Array("<html></html>".utf8)) }
  }

  @Test func errors() {
    func answer(_ text: String) -> ErrorAnswer? { ErrorAnswer(Array(text.utf8)) }
    let found = answer("<Error><Code>NoSuchKey</Code><Message>m</Message><Region>eu-1</Region></Error>")
    #expect(found?.code == "NoSuchKey" && found?.message == "m" && found?.region == "eu-1")
    #expect(answer("<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>")?.code == "AccessDenied")
    for text in ["", "no", "<html/>", "<Error/>", "<Error><Code></Code></Error>", "<Error><Code>a b</Code></Error>"] {
      #expect(answer(text) == nil, "\(text)")
    }
  }

  @Test func times() {
    let time = Timestamp(seconds: 1_369_353_600, nanoseconds: 0)
    #expect(AnswerTime(http: "Fri, 24 May 2013 00:00:00 GMT")?.value == time)
    #expect(AnswerTime(iso8601: "2013-05-24T00:00:00Z")?.value == time)
    #expect(AnswerTime(iso8601: "2013-05-24T00:00:00.000000Z")?.value == time)
    for text in [
      "", "Fri, 24 May 2013 00:00:00", "Fri, 4 May 2013 00:00:00 GMT", "Fri, 24 Mai 2013 00:00:00 GMT", "now",
    ] {
      #expect(AnswerTime(http: text) == nil)
    }
    for text in [
      "", "2013-05-24", "2013-05-24T00:00:00+01", "2013-05-24T00:00:00.0.0Z", "2013-05-24T00:00:00.0000000000Z",
    ] {
      #expect(AnswerTime(iso8601: text) == nil, "\(text)")
    }
  }

  @Test func ranges() {
    #expect(ContentRange("bytes 0-9/443").map { [$0.first, $0.last, $0.total] } == [0, 9, 443])
    for text in ["bytes */443", "bytes 9-0/443", "bytes 0-443/443", "bytes 0-9/*", "0-9/443", "bytes -1-9/443", ""] {
      #expect(ContentRange(text) == nil, "\(text)")
    }
  }
}
