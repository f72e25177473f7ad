import TestSupport
import Testing

@testable import MementoModel

/// The edits between two texts are correct, short and limited in cost.
@Suite struct TextDiffTests {
  /// Lines are found eight bytes at a time: wherever they end, and beside bytes that differ from a newline in one bit.
  @Test func linesAreThoseBetweenNewlines() throws {
    var random = SplitMix64(seed: 7)
    let alphabet: [UInt8] = [0x0a, 0x0a, 0x0b, 0x08, 0x0e, 0x02, 0x1a, 0x2a, 0x4a, 0x8a, 0x00, 0x01, 0xff, 0x80, 0x61]
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in alphabet[Int.random(in: alphabet.indices, using: &random)] }
      let lines = try #require(TextLines(bytes, limit: 1000))
      var expected = bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map { Array($0) + [0x0a] }
      let last = expected.removeLast().dropLast()
      if !last.isEmpty { expected.append(Array(last)) }
      #expect((0..<lines.count).map { Array(lines[$0]) } == expected)
      let count = bytes.count { $0 == 0x0a }
      if count > 0 { #expect((TextLines(bytes, limit: count - 1) == nil)) }
    }
  }

  private func edits(_ old: String, _ new: String, effort: DiffEffort? = nil) throws -> [LineEdit] {
    try edits(old.bytes, new.bytes, effort)
  }

  private func edits(_ old: [UInt8], _ new: [UInt8], _ effort: DiffEffort?) throws -> [LineEdit] {
    LineDiff.edits(
      from: try #require(TextLines(old, limit: .max)), to: try #require(TextLines(new, limit: .max)), effort: effort)
  }

  /// Makes the new text from the old one and the edits, and checks that the lines between them are equal in number.
  private func applying(_ edits: [LineEdit], _ old: [UInt8], _ new: [UInt8]) throws -> [UInt8] {
    let (old, new) = (try #require(TextLines(old, limit: .max)), try #require(TextLines(new, limit: .max)))
    var result: [UInt8] = []
    var (line, other) = (0, 0)
    for edit in edits {
      #expect(!edit.old.isEmpty || !edit.new.isEmpty)
      #expect(edit.old.lowerBound - line == edit.new.lowerBound - other)
      for common in line..<edit.old.lowerBound { result += old[common] }
      for added in edit.new { result += new[added] }
      (line, other) = (edit.old.upperBound, edit.new.upperBound)
    }
    for common in line..<old.count { result += old[common] }
    return result
  }

  /// The number of changed lines in the shortest edits, by the textbook algorithm.
  private func shortest(_ old: [UInt8], _ new: [UInt8]) throws -> Int {
    let (old, new) = (try #require(TextLines(old, limit: .max)), try #require(TextLines(new, limit: .max)))
    var row = [Int](0...new.count)
    for i in 0..<old.count {
      var diagonal = row[0]
      row[0] = i + 1
      for j in 0..<new.count {
        let above = row[j + 1]
        row[j + 1] = old[i] == new[j] ? diagonal : min(above, row[j]) + 1
        diagonal = above
      }
    }
    return row[new.count]
  }

  private func text(_ random: inout SplitMix64, _ letters: Int, _ count: Int) -> [UInt8] {
    var text: [UInt8] = []
    for _ in 0..<Int.random(in: 0...count, using: &random) {
      text += [UInt8(97 + Int.random(in: 0..<letters, using: &random)), 10]
    }
    if !text.isEmpty, Int.random(in: 0..<4, using: &random) == 0 { text.removeLast() }
    return text
  }

  private func count(_ edits: [LineEdit]) -> Int {
    edits.reduce(0) { $0 + $1.old.count + $1.new.count }
  }

  @Test(arguments: 0..<300)
  func editsAreTrueAndShortest(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let letters = 1 + Int(seed % 5)
    let (old, new) = (text(&random, letters, 40), text(&random, letters, 40))
    let found = try edits(old, new, nil)
    #expect(try applying(found, old, new) == new)
    #expect(try count(found) == shortest(old, new))
  }

  @Test(arguments: 0..<200)
  func editsAreTrueHoweverLittleEffort(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (old, new) = (text(&random, 3, 120), text(&random, 3, 120))
    for effort in [
      DiffEffort(search: 1, total: .max), DiffEffort(search: 3, total: .max), DiffEffort(search: 10, total: 40),
      DiffEffort(search: 1, total: 0),
    ] {
      #expect(try applying(edits(old, new, effort), old, new) == new)
    }
  }

  @Test func whatIsDifferentAllOverIsFoundInBoundedTime() throws {
    var random = SplitMix64(seed: 1)
    var sides: [[UInt8]] = []
    for _ in 0..<2 {
      var text: [UInt8] = []
      for _ in 0..<20_000 { text += [UInt8(97 + Int.random(in: 0..<8, using: &random)), 10] }
      sides.append(text)
    }
    // Without a limit, this takes some hundred million steps.
    let found = try edits(sides[0], sides[1], DiffEffort(search: 64, total: 1 << 20))
    #expect(try applying(found, sides[0], sides[1]) == sides[1])
  }

  @Test func editsStandWhereBlocksBegin() throws {
    let old = "class A {\n  func a() {\n    x()\n  }\n\n  func c() {\n  }\n}\n"
    let new = "class A {\n  func a() {\n    x()\n  }\n\n  func b() {\n    y()\n  }\n\n  func c() {\n  }\n}\n"
    #expect(try edits(old, new) == [LineEdit(old: 5..<5, new: 5..<9)])
    #expect(try edits(new, old) == [LineEdit(old: 5..<9, new: 5..<5)])
  }

  @Test func stretchesThatMeetAreOne() throws {
    // Two insertions that are moved next to each other become one.
    for found in [try edits("a\nb\n", "a\nx\na\nx\nb\n"), try edits("x\n", "x\nx\nx\n")] {
      for (one, next) in zip(found, found.dropFirst()) { #expect(one.new.upperBound < next.new.lowerBound) }
    }
  }

  @Test(
    arguments: [
      ("", "a", [LineEdit(old: 0..<0, new: 0..<1)]), ("a\n", "a", [LineEdit(old: 0..<1, new: 0..<1)]), ("", "", []),
      ("a\n\n", "a\n", [LineEdit(old: 1..<2, new: 1..<1)]), ("\n", "", [LineEdit(old: 0..<1, new: 0..<0)]),
    ] as [(String, String, [LineEdit])])
  func endsOfLinesCount(_ old: String, _ new: String, _ expected: [LineEdit]) throws {
    #expect(try edits(old, new) == expected)
  }

  @Test func hunksHaveContextAndAreJoined() throws {
    let old = (1...30).map { "\($0)\n" }.joined()
    var lines = (1...30).map { "\($0)\n" }
    lines[4] = "five\n"
    lines[11] = "twelve\n"
    lines[25] = "26a\n26b\n"
    let diff = try #require(TextDiff(old: old.bytes, new: lines.joined().bytes))
    #expect(diff.insertions == 4 && diff.deletions == 3)
    // Six equal lines between two changes are the context of both, so the hunks are joined.
    #expect(diff.hunks(context: 3).map(\.old) == [1..<15, 22..<29])
    #expect(diff.hunks(context: 3).map(\.new) == [1..<15, 22..<30])
    #expect(diff.hunks(context: 2).map(\.old) == [2..<7, 9..<14, 23..<28])
    #expect(diff.hunks(context: 0).map(\.old) == [4..<5, 11..<12, 25..<26])
    #expect(diff.hunks(context: .max).map(\.old) == [0..<30])
    var shown = ""
    diff.forEachLine(of: diff.hunks(context: 1)[2]) { origin, line in
      shown += (origin == .both ? " " : origin == .old ? "-" : "+") + String(decoding: line, as: UTF8.self)
    }
    #expect(shown == " 25\n-26\n+26a\n+26b\n 27\n")
  }

  @Test func tooManyLinesAreNotCompared() {
    let text = [UInt8](repeating: 10, count: 100)
    #expect(TextLines(text, limit: 99) == nil)
    #expect(TextLines(text, limit: 100)?.count == 100)
    #expect(TextLines(text.dropLast() + [97], limit: 100)?.count == 100)
    #expect(TextLines([], limit: 0)?.count == 0)
  }
}
