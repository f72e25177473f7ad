import Testing

@testable import MementoKit

@Suite struct NamePatternTests {
  @Test(arguments: [
    ("*", ""), ("*", "a/b"), ("a*", "a"), ("a*", "a/b c"), ("*.1", "lr 0.1"), ("a?c", "abc"), ("a?c", "aźc"),
    ("?", "🐢"), ("[abc]", "b"), ("[a-c]x", "bx"), ("[!a-c]", "d"), ("[^a-c]", "d"), ("[]]", "]"), ("[!]]", "a"),
    ("[a-]", "-"), ("[", "["), ("[a", "[a"), ("a\\*b", "a*b"), ("\\[a]", "[a]"), ("a\\", "a\\"), ("[\\]]", "]"),
    ("a**b", "ab"), ("*a*b*", "xxaxxbxx"), ("exp/*", "exp/lr 0.1"), ("", ""), ("[ź-ż]", "ż"),
  ])
  func matches(_ pattern: String, _ name: String) {
    #expect(NamePattern(pattern).matches(name))
  }

  @Test(arguments: [
    ("", "a"), ("a", ""), ("a", "ab"), ("a*", "ba"), ("?", ""), ("?", "ab"), ("[abc]", "d"), ("[!a-c]", "b"),
    ("[a-c]", ""), ("*b", "bc"), ("a\\*", "ab"), ("A*", "abc"), ("[c-a]", "b"), ("[]", "a"),
  ])
  func doesNotMatch(_ pattern: String, _ name: String) {
    #expect(!NamePattern(pattern).matches(name))
  }

  @Test func manyStarsTakeNoTime() {
    let pattern = NamePattern(String(repeating: "a*", count: 60) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 250)))
  }
}
