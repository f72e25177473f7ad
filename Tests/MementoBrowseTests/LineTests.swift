import MementoModel
import MementoText
import Testing

@testable import MementoBrowse

@Suite struct LineTests {
  @Test(arguments: [
    ("plain\n", "plain"), ("a\tb", "a       b"), ("\t日\tx", "        日      x"), ("dos\r\n", "dos"),
    ("\u{1B}[31mred", "^[[31mred"), ("a\u{202E}b", "a<U+202E>b"), ("", ""), ("\n", ""),
  ])
  func linesAreShown(_ text: String, _ shown: String) {
    #expect(LineText.shown(Array(text.utf8)[...]) == shown)
  }

  @Test func longLinesAreCut() {
    let line = LineText.shown(Array(repeating: UInt8(ascii: "x"), count: 1 << 20)[...])
    #expect(line.count == 4097 && line.last == "…")
    // Not in the middle of a character.
    let wide = LineText.shown(Array(String(repeating: "日", count: 5000).utf8)[...])
    #expect(wide.dropLast().allSatisfy { $0 == "日" } && wide.last == "…")
  }

  @Test func paragraphsAreBroken() {
    #expect(Paragraph.lines("one two three", width: 7, limit: 5) == ["one two", "three"])
    #expect(Paragraph.lines("one two three four", width: 7, limit: 2) == ["one two", "three …"])
    #expect(Paragraph.lines("abcdefghij", width: 4, limit: 5) == ["abcd", "efgh", "ij"])
    #expect(Paragraph.lines("日本語", width: 5, limit: 5) == ["日本", "語"])
    #expect(Paragraph.lines("日本", width: 1, limit: 5).joined() == "日本")
    #expect(Paragraph.lines("x", width: 0, limit: 5) == [])
    #expect(Paragraph.lines("", width: 5, limit: 5) == [""])
    #expect(DisplayWidth.cut("abcdef", to: 4) == "abc…")
    #expect(DisplayWidth.cut("abc", to: 4) == "abc")
    #expect(DisplayWidth.cut("日本語", to: 4) == "日…")
    #expect(DisplayWidth.cut("abc", to: 0) == "")
  }

  @Test func positionsStayInTheirList() {
    var position = ListPosition()
    position.move(by: .max)
    position.settle(count: 10, height: 3)
    #expect(position.selected == 9 && position.top == 7)
    position.move(by: .min)
    position.settle(count: 10, height: 3)
    #expect(position.selected == 0 && position.top == 0)
    position.settle(count: 0, height: 0)
    #expect(position.selected == 0 && position.top == 0)
  }
}
