import MementoKit
import Testing

@testable import MementoCLI

@Suite struct TerminalTextTests {
  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("żółw 日本 🐢", "żółw 日本 🐢"), ("a\\b", "a\\b"), ("❤\u{FE0F}", "❤\u{FE0F}"),
    ("a\nb", "a\\nb"), ("a\tb\r", "a\\tb\\r"), ("\u{1B}[31m", "\\x1b[31m"), ("\u{7F}", "\\x7f"), ("\0", "\\x00"),
    ("\u{85}", "\\u{85}"), ("\u{9B}2J", "\\u{9b}2J"), ("a\u{202E}b", "a\\u{202e}b"), ("\u{2066}", "\\u{2066}"),
    ("\u{200B}", "\\u{200b}"), ("\u{200D}", "\\u{200d}"), ("\u{FEFF}x", "\\u{feff}x"), ("\u{61C}", "\\u{61c}"),
    ("\u{2028}", "\\u{2028}"), ("\u{E0041}", "\\u{e0041}"), ("\u{3164}", "\\u{3164}"),
    // A backslash is doubled only where something else is escaped.
    ("a\\b\n", "a\\\\b\\n"),
  ])
  func nothingInvisibleReachesTheTerminal(_ text: String, _ escaped: String) {
    #expect(TerminalText.escaped(text) == escaped)
    #expect(TerminalText.escaped(escaped) == escaped)
  }

  @Test func bytesThatAreNoTextAreShownAsBytes() {
    #expect(TerminalText.escaped([0x61, 0xFF, 0x5C, 0x62]) == "a\\xff\\\\b")
    #expect(TerminalText.escaped(BytePath([0xC3, 0x28])) == "\\xc3(")
  }

  @Test func noByteBelowASpaceSurvives() {
    for byte in UInt8.min...255 {
      let text = TerminalText.escaped([byte])
      #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    }
  }

  @Test func aMessageIsItsFirstLine() {
    #expect(TerminalText.firstLine("one") == "one")
    #expect(TerminalText.firstLine("one\ntwo") == "one …")
    #expect(TerminalText.firstLine("one\n") == "one")
    #expect(TerminalText.firstLine("\n\nthree") == "three")
    #expect(TerminalText.firstLine("") == "")
    #expect(TerminalText.firstLine("a\u{1B}b\r\nc") == "a\\x1bb …")
  }
}
