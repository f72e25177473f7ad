import MementoText
import TestSupport
import Testing

@testable import MementoBrowse

/// A terminal that understands what the browser sends, and nothing else.
struct FakeTerminal {
  private(set) var rows: [[String]]
  private var row = 0
  private var column = 0
  /// Sequences that are not known.
  private(set) var unknown: [String] = []

  init(_ size: ScreenSize) {
    rows = Array(repeating: Array(repeating: " ", count: size.columns), count: size.rows)
  }

  mutating func take(_ bytes: [UInt8]) {
    var text = String(decoding: bytes, as: UTF8.self)[...]
    while let first = text.first {
      if first == "\u{1B}" {
        let end = text.firstIndex { $0.isLetter } ?? text.index(before: text.endIndex)
        obey(String(text[...end]))
        text = text[text.index(after: end)...]
      } else {
        put(first)
        text.removeFirst()
      }
    }
  }

  private mutating func obey(_ sequence: String) {
    let parameters = sequence.dropFirst(2).dropLast().split(separator: ";").compactMap { Int($0) }
    switch sequence.last {
    case "H" where parameters.count == 2: (row, column) = (parameters[0] - 1, parameters[1] - 1)
    case "J" where parameters == [2]:
      rows = rows.map { $0.map { _ in " " } }
    case "m": break
    default: unknown.append(sequence)
    }
  }

  private mutating func put(_ character: Character) {
    let width = DisplayWidth.of(character)
    guard rows.indices.contains(row), column + width <= rows[row].count else {
      unknown.append("\(character) at \(row), \(column)")
      return
    }
    if rows[row][column].isEmpty { rows[row][column - 1] = " " }
    if column + width < rows[row].count, rows[row][column + width].isEmpty { rows[row][column + width] = " " }
    rows[row][column] = String(character)
    if width == 2 { rows[row][column + 1] = "" }
    column += width
  }
}

@Suite struct ScreenTests {
  private static let words = [
    "a", "plain text", "日本語", "🐢 shell", "e\u{301}le\u{300}ve", "\u{301}", "│", "", "x\u{1B}[31my", "\u{202E}a\tb\n",
    "👩\u{200D}👩\u{200D}👧", String(repeating: "wide 日本 ", count: 30), "a" + String(repeating: "\u{301}", count: 500),
  ]

  private static func grid(_ size: ScreenSize, _ random: inout SplitMix64) -> Grid {
    var grid = Grid(size)
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      let start = Int.random(in: -3...(size.columns + 3), using: &random)
      let area = start..<(start + Int.random(in: 0...size.columns, using: &random))
      let style = CellStyle(
        [Ink.plain, .added, .alarm].randomElement(using: &random) ?? .plain, isReversed: .random(using: &random))
      let row = Int.random(in: -2...(size.rows + 2), using: &random)
      grid.write(words.randomElement(using: &random) ?? "", row: row, in: area, style)
      if Bool.random(using: &random) { grid.paint(row: row, in: area) { _ in style } }
    }
    return grid
  }

  /// Whatever is shown before, the update leads to the new grid, and to nothing else.
  @Test func updatesLeadToTheNewGrid() {
    var random = SplitMix64(seed: 2)
    for round in 0..<500 {
      let size = ScreenSize(
        columns: Int.random(in: 1...30, using: &random), rows: Int.random(in: 1...6, using: &random))
      var terminal = FakeTerminal(size)
      var shown: Grid?
      for _ in 0..<4 {
        let next = ScreenTests.grid(size, &random)
        terminal.take(ScreenUpdate.bytes(from: shown, to: next, isColored: true))
        let expected = (0..<size.rows).map { row in (0..<size.columns).map { next[row, $0].text } }
        #expect(terminal.rows == expected, "round \(round)")
        #expect(terminal.unknown == [])
        shown = next
      }
    }
  }

  @Test func everyCellIsSafeAndFillsItsColumns() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<300 {
      let size = ScreenSize(columns: Int.random(in: 1...40, using: &random), rows: 3)
      expectSound(ScreenTests.grid(size, &random))
    }
  }

  @Test func onlyWhatDiffersIsSent() {
    let size = ScreenSize(columns: 20, rows: 2)
    var old = Grid(size)
    old.write("hello world", row: 0, in: 0..<20)
    var new = old
    #expect(ScreenUpdate.bytes(from: old, to: new, isColored: true) == [])
    new.write("W", row: 0, in: 6..<20)
    let bytes = String(decoding: ScreenUpdate.bytes(from: old, to: new, isColored: true), as: UTF8.self)
    #expect(bytes == "\u{1B}[1;7H\u{1B}[0mW")
    let other = Grid(ScreenSize(columns: 21, rows: 2))
    #expect(String(decoding: ScreenUpdate.bytes(from: new, to: other, isColored: true), as: UTF8.self).contains("[2J"))
  }

  @Test func coloursAreLeftOut() {
    var grid = Grid(ScreenSize(columns: 10, rows: 1))
    grid.write("a", row: 0, in: 0..<10, CellStyle(.added))
    grid.write("b", row: 0, in: 1..<10, CellStyle(.alarm, isReversed: true))
    let plain = String(decoding: ScreenUpdate.bytes(from: nil, to: grid, isColored: false), as: UTF8.self)
    #expect(!plain.contains("[32m") && !plain.contains("31") && plain.contains("\u{1B}[0;1;7mb"))
    let colored = String(decoding: ScreenUpdate.bytes(from: nil, to: grid, isColored: true), as: UTF8.self)
    #expect(colored.contains("\u{1B}[0;32ma") && colored.contains("\u{1B}[0;1;31;7mb"))
  }

  @Test func aWideCharacterIsNotCutInHalf() {
    var grid = Grid(ScreenSize(columns: 5, rows: 1))
    #expect(grid.write("ab日本", row: 0, in: 0..<5) == 4)
    #expect(grid.text(row: 0) == "ab日 ")
    grid.write("x", row: 0, in: 3..<5)
    #expect(grid.text(row: 0) == "ab x ")
    grid.write("日", row: 0, in: 0..<5)
    grid.write("y", row: 0, in: 0..<1)
    #expect(grid.text(row: 0) == "y  x ")
  }

  @Test func sizesAreBounded() {
    #expect(ScreenSize(columns: 0, rows: -4) == ScreenSize(columns: 1, rows: 1))
    #expect(ScreenSize(columns: 1 << 40, rows: 65535).columns == 1000)
  }
}

/// No cell has anything that a terminal would obey, and the characters of each row fill it exactly.
func expectSound(_ grid: Grid) {
  for row in 0..<grid.size.rows {
    var end = 0
    for column in 0..<grid.size.columns {
      let text = grid[row, column].text
      #expect(text.unicodeScalars.allSatisfy { !TerminalText.mustBeEscaped($0) }, "\(text.debugDescription)")
      #expect(text.count <= 1)
      // An empty cell is the right half of the character before it, and nothing else is.
      #expect(text.isEmpty == (column < end))
      if !text.isEmpty { end = column + DisplayWidth.of(text) }
    }
    #expect(end == grid.size.columns, "\(grid.text(row: row).debugDescription)")
  }
}
