import TestSupport
import Testing

@testable import MementoModel

/// Some hunks of a difference, applied to the old text.
@Suite struct HunkChoiceTests {
  private func text(_ random: inout SplitMix64, _ ends: [String]) -> [UInt8] {
    var text: [UInt8] = []
    for _ in 0..<Int.random(in: 0...60, using: &random) {
      text += ["a", "b", "", "  c", "\u{FF}", "-- x", "+"].randomElement(using: &random)!.bytes
      if Bool.random(using: &random) { text.append(UInt8.random(in: 0x80...0xFF, using: &random)) }
      text += ends.randomElement(using: &random)!.bytes
    }
    if Bool.random(using: &random), text.last == 10 { text.removeLast() }
    return text
  }

  /// Another text with some other lines.
  private func changed(_ old: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var lines = old.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
    for _ in 0..<Int.random(in: 0...8, using: &random) {
      let place = Int.random(in: lines.indices, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: lines[place] = "new \(Int.random(in: 0..<3, using: &random))".bytes
      case 1: lines.insert("a".bytes, at: place)
      default: if lines.count > 1 { lines.remove(at: place) }
      }
    }
    return Array(lines.joined(separator: [10]))
  }

  private func diff(_ old: [UInt8], _ new: [UInt8]) throws -> TextDiff {
    try #require(TextDiff(old: old, new: new))
  }

  /// All hunks, some of them split.
  private func pieces(_ diff: TextDiff, _ random: inout SplitMix64, context: Int) -> [TextDiff.Hunk] {
    diff.hunks(context: context).flatMap { hunk in
      Bool.random(using: &random) ? diff.split(hunk, context: context) : [hunk]
    }
  }

  @Test(arguments: 0..<400)
  func allAndNone(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let old = text(&random, seed % 3 == 0 ? ["\r\n"] : ["\n", "\r\n"])
    let new = seed % 5 == 0 ? text(&random, ["\n"]) : changed(old, &random)
    let diff = try diff(old, new)
    let pieces = pieces(diff, &random, context: Int(seed % 5)).shuffled(using: &random)
    #expect(diff.text(applying: pieces) == new && diff.isEverything(pieces))
    #expect(diff.text(applying: []) == old)
    #expect(diff.isEverything([]) == (old == new))
  }

  /// A split hunk shows its changes once, and its lines are where it says.
  @Test(arguments: 0..<200)
  func splitting(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let old = text(&random, ["\n"])
    let diff = try diff(old, changed(old, &random))
    for hunk in diff.hunks(context: 3) {
      let parts = diff.split(hunk)
      #expect(parts.count == hunk.edits.count && parts.flatMap(\.edits) == hunk.edits)
      #expect(parts.allSatisfy { !$0.isSplittable && diff.split($0) == [$0] })
      for part in parts {
        var counts = (0, 0)
        diff.forEachLine(of: part) { origin, _ in
          if origin != .new { counts.0 += 1 }
          if origin != .old { counts.1 += 1 }
        }
        #expect(counts == (part.old.count, part.new.count))
        #expect(part.old.lowerBound >= hunk.old.lowerBound && part.old.upperBound <= hunk.old.upperBound)
      }
    }
  }

  /// git makes the same of the same hunks.
  @Test(.enabled(if: Machine.has("git"), "git is missing"), arguments: 0..<120)
  func someAsGitAppliesThem(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let old = text(&random, ["\n", "\r\n"])
    let diff = try diff(old, changed(old, &random))
    // Pieces of one hunk show the same lines, which git does not take; without such lines it does.
    let context = seed % 2 == 0 ? 3 : 0
    let all = context == 0 ? pieces(diff, &random, context: 0) : diff.hunks(context: context)
    let chosen = all.filter { _ in Bool.random(using: &random) }
    if chosen.isEmpty { return }
    let directory = try TemporaryDirectory()
    try directory.write("file", old)
    try directory.write("patch", patch(chosen, of: diff))
    let git = try Launch(
      ["git", "apply", "--whitespace=nowarn"] + (context == 0 ? ["--unidiff-zero"] : []) + ["patch"],
      in: directory.path)
    #expect(git.status == 0, "\(git.errors)")
    #expect(try directory.read("file") == diff.text(applying: chosen))
  }

  private func patch(_ hunks: [TextDiff.Hunk], of diff: TextDiff) -> [UInt8] {
    var patch = "diff --git a/file b/file\n--- a/file\n+++ b/file\n".bytes
    var shift = 0
    for hunk in hunks {
      let start = hunk.old.lowerBound + shift
      let old = "\(hunk.old.lowerBound + (hunk.old.isEmpty ? 0 : 1)),\(hunk.old.count)"
      let new = "\(start + (hunk.new.isEmpty ? 0 : 1)),\(hunk.new.count)"
      patch += "@@ -\(old) +\(new) @@\n".bytes
      shift += hunk.new.count - hunk.old.count
      diff.forEachLine(of: hunk) { origin, line in
        patch += (origin == .both ? " " : origin == .old ? "-" : "+").bytes + line
        if line.last != 10 { patch += "\n\\ No newline at end of file\n".bytes }
      }
    }
    return patch
  }

  @Test func whatDoesNotFitIsRefused() throws {
    let diff = try diff("1\n2\n3\n".bytes, "x\n2\ny\n".bytes)
    let hunk = try #require(diff.hunks(context: 0).first)
    #expect(diff.text(applying: [hunk, hunk]) == nil)
    #expect(diff.text(applying: diff.hunks(context: 3) + [hunk]) == nil)
    let other = try self.diff("1\n2\n3\n4\n".bytes, "1\n2\n3\nz\n".bytes)
    #expect(diff.text(applying: other.hunks(context: 0)) == nil)
    #expect(other.text(applying: [hunk]) == nil)
  }
}
