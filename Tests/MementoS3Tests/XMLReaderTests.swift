import TestSupport
import Testing

@testable import MementoS3

struct XMLReaderTests {
  private func events(_ text: String) throws -> [XMLReader.Event] {
    var reader = XMLReader(Array(text.utf8))
    var events: [XMLReader.Event] = []
    while let event = try reader.next() { events.append(event) }
    return events
  }

  @Test func elementsAndTexts() throws {
    #expect(
      try events(
        "\u{feff}<?xml version='1.0'?>\n<!-- a > b --><s:a x='>' y=\"/\"><b/>t&amp;&#x41;&#66;<![CDATA[<&]]></s:a >\n")
        == [
          .start("a"), .start("b"), .end("b", text: ""), .end("a", text: "t&AB<&"),
        ])
    #expect(try events("  \n<a>é&lt;&gt;&quot;&apos;</a>").last == .end("a", text: "é<>\"'"))
  }

  @Test(arguments: [
    "", " ", "a", "<", "<a", "<a>", "<a>b", "<a></b>", "</a>", "<a/><b/>", "<a/>b", "<a x=\"></a>", "<a><b></a></b>",
    "<>",
    "</>", "<a>&b;</a>", "<a>&amp</a>", "<a>&#xd800;</a>", "<a>&#;</a>", "<a>&#x110000;</a>", "<!DOCTYPE a><a/>",
    "<!DOCTYPE a [<!ENTITY b \"c\"><!ENTITY d \"&b;&b;\">]><a>&d;</a>", "<!-- <a/>", "<?a", "<a><![CDATA[b</a>",
    "<a <b>",
    "<:/>", "<a>&aaaaaaaaaaaaaaaaa;</a>",
  ])
  func refuses(_ text: String) {
    #expect(throws: XMLReader.Failure.self) { try events(text) }
  }

  @Test func refusesWhatIsTooMuch() {
    let many = 1_000_000
    #expect(throws: XMLReader.Failure.self) { try events(String(repeating: "<a>", count: many)) }
    #expect(throws: XMLReader.Failure.self) { try events("<a>" + String(repeating: "b", count: many) + "</a>") }
    #expect(throws: XMLReader.Failure.self) { try events("<" + String(repeating: "a", count: many) + "/>") }
    #expect(throws: XMLReader.Failure.self) { try events("<a>\u{0}") }
    var reader = XMLReader([0x3c, 0x61, 0x3e, 0xff, 0x3c, 0x2f, 0x61, 0x3e])
    #expect(throws: XMLReader.Failure.self) { while try reader.next() != nil {} }
  }

  /// Cut and changed at every place: an error, or a document, and never a trap.
  @Test func anyBytesAreSurvived() {
    let text = Array(
      "<?xml version=\"1.0\"?><Error><Code a='b'>X&amp;Y&#65;</Code><![CDATA[z]]><!-- c --><Region/></Error>".utf8)
    var random = SplitMix64(seed: 7)
    for place in text.indices {
      _ = try? XMLFields(Array(text[..<place]))
      for _ in 0..<40 {
        var changed = text
        changed[place] = UInt8.random(in: 0...255, using: &random)
        _ = try? XMLFields(changed)
      }
    }
    for _ in 0..<2000 {
      _ = try? XMLFields((0..<40).map { _ in "<>/&;![]-?aA \"'#x1".utf8.randomElement(using: &random)! })
    }
  }
}
