// Which lines match, and what can be known of a match beforehand.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct LineMatcherTests {
  private func lines(_ pattern: SearchPattern, _ text: [UInt8]) throws -> [String] {
    let matcher = LineMatcher(pattern)
    var found: [String] = []
    try text.withUnsafeBytes { bytes in
      var start = 0
      while let line = try matcher.next(in: bytes, from: start) {
        found.append(String(decoding: bytes[line], as: UTF8.self))
        start = line.upperBound + 1
      }
    }
    return found
  }

  @Test(arguments: [
    ("b", "abc\nd\nb", ["abc", "b"]), ("^b", "ab\nbc\n", ["bc"]), ("b$", "ab\nbc\n", ["ab"]), ("^$", "a\n\nb\n", [""]),
    ("x*", "a\n\nb", ["a", "", "b"]), ("a|c", "a\nb\nc\n", ["a", "c"]), ("a.c", "a\nc\nabc\n", ["abc"]),
    ("a[[:space:]]b", "a\nb\na b\n", ["a b"]), ("a[^x]b", "a\nb\nayb", ["ayb"]),
    ("(ab)+c", "abc\nababc\nac", ["abc", "ababc"]),
    ("a\\.b", "a.b\naxb", ["a.b"]), ("a+b", "b\naab", ["aab"]), ("ab{2}", "ab\nabb", ["abb"]), ("[]x]", "]\ny", ["]"]),
    ("z", "", []), ("^", "\n", [""]),
  ])
  func aRegularExpression(_ expression: String, _ text: String, _ expected: [String]) throws {
    #expect(try lines(SearchPattern(regularExpression: expression.bytes), text.bytes) == expected)
  }

  @Test func cases() throws {
    #expect(
      try lines(SearchPattern(regularExpression: "NEEDLE".bytes, ignoringCase: true), "a needle\nb".bytes) == [
        "a needle"
      ])
    #expect(try lines(SearchPattern(text: "A.B".bytes, ignoringCase: true), "a.b\naxb".bytes) == ["a.b"])
    #expect(try lines(SearchPattern(text: "a.b".bytes), "a.b\naxb".bytes) == ["a.b"])
  }

  @Test func bytesThatAreNoText() throws {
    let matcher = LineMatcher(try SearchPattern(regularExpression: [0xff, UInt8(ascii: "+")]))
    let bytes: [UInt8] = [0, 0xff, 0, 10, 1]
    #expect(try bytes.withUnsafeBytes { try matcher.next(in: $0, from: 0) } == 0..<3)
  }

  @Test(arguments: ["(", "a\nb", "[", "a{2", "\\"]) func whatIsNoPattern(_ text: String) {
    #expect(code { try SearchPattern(regularExpression: text.bytes) } == .invalidArgument)
  }

  @Test func whatIsNoText() {
    #expect(code { try SearchPattern(text: []) } == .invalidArgument)
    #expect(code { try SearchPattern(text: "a\nb".bytes) } == .invalidArgument)
    #expect(code { try SearchPattern(text: [97, 0]) } == .invalidArgument)
  }

  @Test(arguments: [
    ("abc.def", "abc"), ("ab*cde", "cde"), ("abc?", "ab"), ("a|bcd", ""), ("(abc)def", "def"), ("[abc]defg", "defg"),
    ("abc{2}x", "ab"), ("abc+d", "abc"), ("a+*", ""), ("a\\.bc", "a.bc"), ("\\wabc", "abc"), ("[]x]ab", "ab"),
    ("[[:alpha:]]ab", "ab"), ("(a[)]b)cd", "cd"), ("^abc$", "abc"), ("", ""), (".*", ""), ("ab(c|d)efg", ""),
    ("x{1}ab", "ab"),
  ])
  func whatAMatchHas(_ expression: String, _ expected: String) {
    #expect(SearchPattern.required(of: expression.bytes) == expected.bytes)
  }

  /// With and without the shortcut, the same lines are found.
  @Test(arguments: 0..<40) func theShortcutChangesNothing(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let pieces = [
      "a", "b", "c", ".", "a*", "b+", "c?", "[ab]", "(ab)", "(ab)*", "[^a]", "a{2}", "^", "$", "|", "\\.", "b{0,1}",
      " ",
    ]
    for _ in 0..<60 {
      let expression = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }.joined().bytes
      guard let pattern = try? SearchPattern(regularExpression: expression) else { continue }
      let text = (0..<60).map { _ in "aabbc. \n".randomElement(using: &generator).map(String.init) ?? "" }.joined()
        .bytes
      let regex = try RegularExpression(expression, ignoringCase: false)
      var naive = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
      if text.last == UInt8(ascii: "\n") { naive.removeLast() }
      let expected = try naive.filter { line in try line.withUnsafeBytes { try regex.first(in: $0) } != nil }
      #expect(
        try lines(pattern, text) == expected.map { String(decoding: $0, as: UTF8.self) },
        "\(String(decoding: expression, as: UTF8.self))")
    }
  }
}
