import MementoSystem
import TestSupport
import Testing

@testable import MementoModel

@Suite struct ThreeWayMergeTests {
  private static let labels = ThreeWayMerge.Labels(ours: "ours", base: "base", theirs: "theirs")

  private func merge(_ base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8]) throws -> ThreeWayMerge {
    try #require(ThreeWayMerge(base: base, ours: ours, theirs: theirs, labels: ThreeWayMergeTests.labels))
  }

  private func merge(_ base: String, _ ours: String, _ theirs: String) throws -> (String, Int) {
    let merged = try merge(base.bytes, ours.bytes, theirs.bytes)
    return (String(decoding: merged.text, as: UTF8.self), merged.conflicts)
  }

  @Test func changesInDifferentPlacesAreJoined() throws {
    #expect(try merge("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n") == ("A\nb\nc\nD\n", 0))
    #expect(try merge("a\nb\nc\n", "a\nb\nc\nnew\n", "b\nc\n") == ("b\nc\nnew\n", 0))
    #expect(try merge("a\nb\nc\n", "", "a\nb\nc\n") == ("", 0))
    #expect(try merge("", "x\n", "") == ("x\n", 0))
    #expect(try merge("a\nb\nc", "A\nb\nc", "a\nb\nC") == ("A\nb\nC", 0))
  }

  @Test func theSameChangeIsNoConflict() throws {
    #expect(try merge("a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n") == ("a\nX\nc\n", 0))
  }

  @Test func aConflictShowsAllThree() throws {
    let (text, conflicts) = try merge("a\nb\nc\n", "a\nours\nc\n", "a\ntheirs\nc\n")
    #expect(conflicts == 1)
    #expect(
      text == "a\n<<<<<<< ours\nours\n||||||| base\nb\n=======\ntheirs\n>>>>>>> theirs\nc\n")
  }

  @Test func changesThatTouchAreAConflict() throws {
    #expect(try merge("a\nb\n", "A\nb\n", "a\nB\n").1 == 1)
    #expect(try merge("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n").1 == 0)
  }

  @Test func marksBeginALine() throws {
    #expect(
      try merge("a", "b", "c").0 == "<<<<<<< ours\nb\n||||||| base\na\n=======\nc\n>>>>>>> theirs\n")
    #expect(
      try merge("a\r\n", "b\r\n", "c\r\n").0
        == "<<<<<<< ours\r\nb\r\n||||||| base\r\na\r\n=======\r\nc\r\n>>>>>>> theirs\r\n")
  }

  private func edited(_ lines: [String], _ random: inout SplitMix64) -> [String] {
    var lines = lines
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let place = Int.random(in: 0...lines.count, using: &random)
      switch Int.random(in: 0...2, using: &random) {
      case 0: lines.insert("new \(Int.random(in: 0...9, using: &random))\n", at: place)
      case 1 where place < lines.count: lines.remove(at: place)
      case 2 where place < lines.count: lines[place] = "changed \(Int.random(in: 0...9, using: &random))\n"
      default: break
      }
    }
    return lines
  }

  @Test(arguments: 0..<20) func laws(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<50 {
      let count = Int.random(in: 0...12, using: &random)
      let base = (0..<count).map { _ in "\(Int.random(in: 0...5, using: &random))\n" }
      let (a, b) = (edited(base, &random).joined().bytes, edited(base, &random).joined().bytes)
      let text = base.joined().bytes
      #expect(try merge(text, a, text).text == a)
      #expect(try merge(text, text, b).text == b)
      #expect(try merge(text, a, a).text == a)
      let (left, right) = (try merge(text, a, b), try merge(text, b, a))
      #expect(left.conflicts == right.conflicts)
      if left.conflicts == 0 { #expect(left.text == right.text) }
    }
  }

  /// Lines of a base are all different, so that both programs find the same edits.
  @Test func gitMergesTheSame() throws {
    let folder = try TemporaryDirectory()
    var random = SplitMix64(seed: 1)
    var clean = 0
    for _ in 0..<120 {
      let base = (0..<Int.random(in: 0...14, using: &random)).map { "line \($0)\n" }
      let texts = [base, edited(base, &random), edited(base, &random)].map { $0.joined().bytes }
      for (name, text) in zip(["base", "ours", "theirs"], texts) { try folder.write(name, text) }
      let words = "git merge-file -p --diff3 -L ours -L base -L theirs ours base theirs".split(separator: " ")
      let git = try Launch(["/usr/bin/env"] + words.map(String.init), in: folder.path)
      let mine = try merge(texts[0], texts[1], texts[2])
      #expect((git.status == 0) == (mine.conflicts == 0))
      if git.status == 0, mine.conflicts == 0 {
        clean += 1
        #expect(git.outputBytes == mine.text)
      }
    }
    #expect(clean > 30)
  }
}
