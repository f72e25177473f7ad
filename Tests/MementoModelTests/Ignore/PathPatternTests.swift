import Testing

@testable import MementoModel

struct PathPatternTests {
  @Test(arguments: [
    ("a", "a", true), ("a", "d/a", true), ("a", "ab", false), ("*.c", "d/e/x.c", true), ("d/a", "d/a", true),
    ("d/a", "e/d/a", false), ("/a", "a", true), ("/a", "d/a", false), ("**/a", "d/e/a", true), ("d/**", "d/e/a", true),
    ("d/*", "d/e/a", false), ("[ab]", "b", true), ("a/", "a", false), ("?", "\u{e9}", false), ("\\*", "*", true),
  ])
  func files(_ pattern: String, _ path: String, _ matches: Bool) throws {
    #expect(try #require(PathPattern(Array(pattern.utf8))).matches(BytePath(path), isFolder: false) == matches)
  }

  @Test func folders() throws {
    #expect(try #require(PathPattern(Array("a/".utf8))).matches("d/a", isFolder: true))
    #expect(try #require(PathPattern(Array("d/a//".utf8))).matches("d/a", isFolder: true))
  }

  @Test(arguments: ["", "/", "//"]) func whatMatchesNothing(_ pattern: String) {
    #expect(PathPattern(Array(pattern.utf8)) == nil)
  }
}
