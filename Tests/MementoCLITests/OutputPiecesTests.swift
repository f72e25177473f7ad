import MementoKit
import Testing

@testable import MementoCLI

@Suite struct OutputPiecesTests {
  @Test(arguments: [
    (0, "0 B"), (1, "1 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1_048_524, "1023.9 KiB"),
    (1_048_575, "1.0 MiB"), (1_258_291, "1.2 MiB"), (1 << 30, "1.0 GiB"), (1 << 40, "1.0 TiB"),
    (UInt64.max, "16.0 EiB"),
  ])
  func bytesHaveUnits(_ count: UInt64, _ text: String) {
    #expect(Quantity.bytes(count) == text)
  }

  @Test(arguments: [
    ([], 9, ""), (["one", "two"], nil, "one, two"), (["one", "two"], 8, "one, two"),
    (["one", "two", "three"], 13, "one, two (+1)"), (["one", "two", "three"], 12, "one (+2)"),
    (["one", "two", "three"], 7, "o… (+2)"), (["sixteen"], 4, "six…"),
  ])
  func namesThatDoNotFitAreCounted(_ names: [String], _ columns: Int?, _ text: String) {
    #expect(NameWords.text(names, within: columns) == text)
  }

  @Test(arguments: [
    ("one two", 7, ["one two"]), ("one two", 6, ["one", "two"]), ("one two", 4, ["one", "two"]),
    ("one two three", 8, ["one two", "three"]), ("abcdefgh", 3, ["abc", "def", "gh"]),
    ("  abcdef", 4, ["  ab", "cdef"]),
    ("日本語", 5, ["日本", "語"]),
  ])
  func aTextIsPartedAfterSpaces(_ text: String, _ columns: Int, _ parts: [String]) {
    #expect(DisplayWidth.parts(of: text, columns: columns) == parts)
  }

  @Test func nounsHaveNumbers() {
    #expect(Quantity.count(0, "file") == "0 files")
    #expect(Quantity.count(1, "file") == "1 file")
    #expect(Quantity.count(2, "file") == "2 files")
  }

  @Test(arguments: [
    (1_780_315_205, 7200, "2026-06-01 14:00:05 +0200"), (0, 0, "1970-01-01 00:00:00 +0000"),
    (0, -12600, "1969-12-31 20:30:00 -0330"), (951_782_400, 0, "2000-02-29 00:00:00 +0000"),
    (-1, 0, "1969-12-31 23:59:59 +0000"), (253_402_300_799, 0, "9999-12-31 23:59:59 +0000"),
    (Int64.max, 0, "@9223372036854775807"), (-62_135_596_800, 0, "0001-01-01 00:00:00 +0000"),
    (253_402_300_800, 0, "10000-01-01 00:00:00 +0000"), (-62_167_219_201, 0, "@-62167219201"),
  ])
  func timesAreLocalWithTheirOffset(_ seconds: Int64, _ offset: Int, _ text: String) {
    #expect(LocalTime.text(SnapshotTime(seconds: seconds, nanoseconds: 0), offset: offset) == text)
  }

  @Test(arguments: [
    ("plain", "plain"), ("a/b-1.2", "a/b-1.2"), ("lr 0.1", "'lr 0.1'"), ("it's", "'it'\\''s'"), ("", "''"),
    ("$HOME", "'$HOME'"), ("żółw", "żółw"), ("a&b", "'a&b'"),
  ])
  func wordsAreQuotedForShells(_ text: String, _ word: String) {
    #expect(ShellWord.quoted(text) == word)
  }

  @Test(arguments: [("abc", 3), ("", 0), ("żółw", 4), ("日本", 4), ("🐢", 2), ("e\u{301}", 1), ("❤\u{FE0F}", 2)])
  func wideCharactersTakeTwoColumns(_ text: String, _ width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test func columnsAreAligned() {
    var table = Table([.left, .right, .left])
    table.add([Table.Cell(text: "日本"), Table.Cell(text: "1 B"), Table.Cell(text: "")])
    table.add([Table.Cell(text: "a"), Table.Cell(text: "1.2 KiB"), Table.Cell(text: "end")])
    #expect(table.lines() == ["日本      1 B", "a     1.2 KiB  end"])
  }

  @Test func paintDoesNotCountAsWidth() {
    var table = Table([.left, .left])
    let style = Style(isColored: true)
    table.add([Table.Cell(text: "a", paint: style.id), Table.Cell(text: "x")])
    table.add([Table.Cell(text: "bb", paint: style.id), Table.Cell(text: "")])
    #expect(table.lines() == ["\u{1B}[33ma\u{1B}[0m   x", "\u{1B}[33mbb\u{1B}[0m"])
  }

  @Test func anEmptyTableHasNoLines() {
    #expect(Table([.left]).lines().isEmpty)
  }

  @Test func recordsEndInNULAndEscapeNothing() {
    #expect(NullRecords.bytes([["a", "b\n"], ["c\\"]]) == Array("a\tb\n\0c\\\0".utf8))
    #expect(NullRecords.bytes([]).isEmpty)
  }

  @Test(
    arguments: [
      (ColorChoice.auto, true, "xterm", nil, true), (.auto, false, "xterm", nil, false),
      (.auto, true, "dumb", nil, false), (.auto, true, nil, nil, false), (.auto, true, "xterm", "1", false),
      (.auto, true, "xterm", "", true), (.always, false, "dumb", "1", true), (.never, true, "xterm", nil, false),
    ] as [(ColorChoice, Bool, String?, String?, Bool)])
  func colorIsForTerminals(
    _ choice: ColorChoice, _ isTerminal: Bool, _ term: String?, _ noColor: String?, _ isColored: Bool
  ) {
    var context = CommandContext()
    context.environment["TERM"] = term.map { Array($0.utf8) }
    context.environment["NO_COLOR"] = noColor.map { Array($0.utf8) }
    #expect(Style(choice, isTerminal: isTerminal, variable: context.variable).isColored == isColored)
  }

  @Test func progressIsOneLineThatFits() {
    let line = ProgressLine(phase: .saving, files: 1234, bytes: 1 << 30, seconds: 4)
    #expect(line.text(width: 80) == "saving  1234 files  1.0 GiB  256.0 MiB/s")
    #expect(line.text(width: 20) == "saving  1234 files ")
    var known = line
    known.expectedFiles = 5000
    #expect(known.text(width: 80) == "saving  1234 of 5000 files  1.0 GiB  256.0 MiB/s  12s left")
    known.files = 5001
    #expect(known.text(width: 80) == "saving  5001 files  1.0 GiB  256.0 MiB/s")
    #expect(
      ProgressLine(phase: .collectingGarbage, files: 0, bytes: 0, seconds: 0).text(width: 80) == "collecting garbage")
  }
}
