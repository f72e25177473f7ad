// A filter of paths never says that a changed path did not change, and seldom that another one may have.

import TestSupport
import Testing

@testable import MementoModel

struct TouchedPathsTests {
  private func paths(_ count: Int, _ word: String) -> [[UInt8]] { (0..<count).map { "\(word)/\($0)".bytes } }

  @Test(arguments: [1, 2, 7, 40, 511, 512])
  func whatChangedIsFound(_ count: Int) throws {
    let changed = paths(count, "src")
    let filter = try #require(TouchedPaths(changed))
    #expect(changed.allSatisfy { filter.mayHave(TouchedPaths.Key($0)) })
    let others = paths(20_000, "other").count { filter.mayHave(TouchedPaths.Key($0)) }
    // About 0.8% by the formula of Bloom.
    #expect(others < 400, "\(others)")
    #expect(TouchedPaths(hex: filter.hex.utf8) == filter)
    #expect(filter.hex.utf8.count == max(8, (count * 10 + 7) / 8) * 2)
  }

  @Test func nothingAndTooMuch() throws {
    let none = try #require(TouchedPaths([]))
    #expect(none.hex == String(repeating: "0", count: 16) && !none.mayHave(TouchedPaths.Key("a".bytes)))
    #expect(TouchedPaths(paths(513, "a")) == nil)
    for wrong in ["", "0", "0g", "000", String(repeating: "00", count: TouchedPaths.mostBytes + 1)] {
      #expect(TouchedPaths(hex: wrong.utf8) == nil)
    }
  }

  /// docs/format.md says how the bits are found: with the SHA-256 of "src/main.c", and 8 bytes for one path.
  @Test func theBitsAreThoseOfTheFormat() throws {
    let filter = try #require(TouchedPaths(["src/main.c".bytes]))
    let words = ObjectID(hashing: "src/main.c".bytes).words
    var bytes = [UInt8](repeating: 0, count: 8)
    for number in 0..<7 as Range<UInt64> {
      let bit = Int((words.0 &+ number &* words.1) % 64)
      bytes[bit / 8] |= 1 << UInt8(bit % 8)
    }
    #expect(filter.hex == bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
  }

  @Test func aListHasFoldersAndWhatIsInThem() throws {
    var list = TouchedPathList()
    let source = list.add("src".bytes, in: 0, isDirectory: true, isChange: false)
    let deep = list.add("deep".bytes, in: source, isDirectory: true, isChange: false)
    _ = list.add("file".bytes, in: deep, isDirectory: false, isChange: true)
    _ = list.add("top".bytes, in: 0, isDirectory: false, isChange: true)
    #expect(list.changed == TouchedPaths(["src", "src/deep", "src/deep/file", "top"].map(\.bytes)))
    #expect(list.changedPaths == ["src/deep/file", "top"].map(\.bytes))
    for number in 0..<509 { _ = list.add("\(number)".bytes, in: source, isDirectory: false, isChange: true) }
    #expect(list.changed == nil && list.changedPaths == nil)
    #expect(list.add("more".bytes, in: 0, isDirectory: true, isChange: false) == 0 && list.changed == nil)
  }
}
