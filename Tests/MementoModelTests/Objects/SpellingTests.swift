import TestSupport
import Testing

@testable import MementoModel

struct SpellingTests {
  @Test(arguments: [
    ("", "", 0), ("a", "", 1), ("", "ab", 2), ("save", "svae", 1), ("tow", "two", 1), ("kitten", "sitting", 3),
    ("abc", "abc", 0), ("ca", "abc", 3), ("é", "e", 1),
  ])
  func theDistance(_ left: String, _ right: String, _ distance: Int) {
    #expect(Spelling.distance(Array(left), Array(right)) == distance)
    #expect(Spelling.distance(Array(right), Array(left)) == distance)
  }

  @Test func whatIsNear() {
    let words = ["save", "restore", "run", "undo", "gc"]
    for (text, near) in [("svae", "save"), ("restroe", "restore"), ("rn", "run"), ("gcc", "gc"), ("undoo", "undo")] {
      #expect(Spelling.nearest(to: text, among: words) == near)
    }
    for text in ["rm", "", "frobnicate", "stash", "xyz", String(repeating: "save", count: 1000)] {
      #expect(Spelling.nearest(to: text, among: words) == nil, "\(text.prefix(20))")
    }
    #expect(Spelling.nearest(to: "save", among: []) == nil)
  }
}
