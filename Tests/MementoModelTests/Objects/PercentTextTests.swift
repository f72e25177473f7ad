import MementoModel
import TestSupport
import Testing

struct PercentTextTests {
  @Test func anyByteComesBack() {
    let all = (0...255).map { UInt8($0) }
    #expect(PercentText.decode(PercentText.encode(all)) == all)
    for byte in all { #expect(PercentText.decode(PercentText.encode([byte])) == [byte]) }
    for seed in 0..<50 {
      let bytes = Content.random(seed, seed: UInt64(seed))
      let text = PercentText.encode(bytes)
      #expect(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
      #expect(PercentText.decode(text) == bytes)
    }
  }

  @Test(arguments: [
    ("", ""), ("a-Z/~:.@", "a-Z/~:.@"), ("a b", "a%20b"), ("100%", "100%25"), ("\n\u{1b}\u{7f}", "%0a%1b%7f"),
    ("é", "%c3%a9"),
  ])
  func isWrittenAs(_ text: String, _ encoded: String) {
    #expect(PercentText.encode(text.utf8) == encoded)
    #expect(PercentText.decode(encoded) == text.bytes)
  }

  @Test(arguments: ["%", "%2", "a%", "%g0", "%0g", "%%20", "% 20"])
  func isRefused(_ text: String) {
    #expect(PercentText.decode(text) == nil)
  }

  @Test func upperCaseDigitsAreRead() {
    #expect(PercentText.decode("%C3%A9") == "é".bytes)
  }
}
