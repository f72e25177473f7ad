import TestSupport
import Testing

@testable import MementoModel

/// What a user has made of a hunk.
@Suite struct HunkEditTests {
  private let old = "1\n2\n3\n4\n5\n6\n7\n8\n9".bytes
  private let new = "1\n2\nx\n4\ny\n6\n7\n8\nend".bytes

  private func diff() throws -> TextDiff { try #require(TextDiff(old: old, new: new)) }

  private func result(_ change: (String) -> String, hunk: Int = 0, others: [Int] = []) throws -> String? {
    let diff = try diff()
    let hunks = diff.split(diff.hunks(context: 3)[0])
    let text = String(decoding: diff.editableText(of: hunks[hunk]), as: UTF8.self)
    guard let edit = try diff.edit(hunks[hunk], as: Array(change(text).utf8)) else { return nil }
    return try String(decoding: #require(diff.text(applying: others.map { hunks[$0] }, edited: [edit])), as: UTF8.self)
  }

  @Test func itsTextIsThatOfADiff() throws {
    let diff = try diff()
    let hunks = diff.split(diff.hunks(context: 3)[0])
    #expect(hunks.count == 3)
    #expect(diff.editableText(of: hunks[0]) == " 1\n 2\n-3\n+x\n 4\n".bytes)
    #expect(
      diff.editableText(of: hunks[2])
        == " 6\n 7\n 8\n-9\n\\ No newline at end of file\n+end\n\\ No newline at end of file\n".bytes)
  }

  @Test func unchangedItIsTheHunk() throws {
    #expect(try result { $0 } == "1\n2\nx\n4\n5\n6\n7\n8\n9")
    #expect(try result({ $0 }, hunk: 2, others: [0, 1]) == String(decoding: new, as: UTF8.self))
  }

  @Test func linesAreKeptAddedAndLeftOut() throws {
    #expect(
      try result { $0.replacing("-3\n+x\n", with: " 3\n+between\n+\n") } == "1\n2\n3\nbetween\n\n4\n5\n6\n7\n8\n9")
    #expect(try result { $0.replacing("+x\n", with: "") } == "1\n2\n4\n5\n6\n7\n8\n9")
    #expect(try result { $0.replacing(" 1\n", with: "-1\n") } == "2\nx\n4\n5\n6\n7\n8\n9")
    // Another hunk shows the line 4, too, and changes the next one.
    #expect(try result({ $0.replacing("+x", with: "+z") }, others: [1]) == "1\n2\nz\n4\ny\n6\n7\n8\n9")
    #expect(
      try result({ $0.replacing("+end\n\\ No newline at end of file\n", with: "+end\n") }, hunk: 2)
        == "1\n2\n3\n4\n5\n6\n7\n8\nend\n")
    #expect(try result { "# comment\n" + $0.replacing("+x", with: "+#") } == "1\n2\n#\n4\n5\n6\n7\n8\n9")
    #expect(try result { $0.replacing("-3\n+x\n", with: " 3\n") } == "1\n2\n3\n4\n5\n6\n7\n8\n9")
  }

  @Test func anEmptyLineStays() throws {
    let diff = try #require(TextDiff(old: "\na\n\n".bytes, new: "\nb\n\n".bytes))
    let hunk = diff.hunks(context: 3)[0]
    let edit = try #require(try diff.edit(hunk, as: "\n-a\n+c\n\n".bytes))
    #expect(diff.text(applying: [], edited: [edit]) == "\nc\n\n".bytes)
  }

  @Test func nothingLeftIsNoEdit() throws {
    for text in ["", "# all\n# gone\n", "\n"] { #expect(try result { _ in text } == nil) }
  }

  @Test(
    arguments: [
      (" 1\n 2\n-3\n+x\n", nil), (" 1\n-3\n+x\n 4\n", 2), (" 1\n 2\n-4\n+x\n 4\n", 3), (" 1\n 2\n-3\n+x\n 4\n 5\n", 6),
      ("@@ -1 +1 @@\n 1\n 2\n-3\n 4\n", 1), (" 1\n 2\n-3\n+x\n\\ No newline\n 4\n", 4), ("\\ no\n", 1),
      (" 1\n\\ a\n\\ b\n", 3), (" 1\n 2\n-3\n 4\n\\ No newline\n", 4),
    ] as [(String, Int?)])
  func whatDoesNotFitIsRefused(_ text: String, _ line: Int?) throws {
    let diff = try diff()
    let hunk = diff.split(diff.hunks(context: 3)[0])[0]
    do throws(TextDiff.HunkEditError) {
      _ = try diff.edit(hunk, as: text.bytes)
      Issue.record("it was taken")
    } catch {
      #expect(error.line == line)
    }
  }

  @Test func twoEditsOfOneLineDoNotFitTogether() throws {
    let diff = try diff()
    let hunks = diff.split(diff.hunks(context: 3)[0])
    let first = try #require(try diff.edit(hunks[0], as: " 1\n 2\n-3\n-4\n".bytes))
    let second = try #require(try diff.edit(hunks[1], as: "-4\n-5\n 6\n 7\n 8\n".bytes))
    #expect(diff.text(applying: [], edited: [first, second]) == nil)
    #expect(diff.text(applying: [hunks[0]], edited: [first]) == nil)
  }

  /// An edit that changes nothing is the hunk, in any text.
  @Test(arguments: 0..<300)
  func anEditWithoutChangesIsTheHunk(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func text() -> [UInt8] {
      var text: [UInt8] = []
      for _ in 0..<Int.random(in: 0...30, using: &random) {
        text += ["a", "b", "", " c", "-d", "\u{FF}", "\\ x", "#", "+\r"].randomElement(using: &random)!.bytes + [10]
      }
      if Bool.random(using: &random), !text.isEmpty { text.removeLast() }
      return text
    }
    let diff = try #require(TextDiff(old: text(), new: text()))
    let hunks = diff.hunks(context: Int(seed % 4)).flatMap {
      seed % 2 == 0 ? diff.split($0, context: Int(seed % 4)) : [$0]
    }
    let edited = try hunks.compactMap { try diff.edit($0, as: diff.editableText(of: $0)) }
    #expect(edited.count == hunks.count)
    #expect(diff.text(applying: [], edited: edited) == diff.text(applying: hunks))
  }
}
