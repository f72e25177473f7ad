// Single patterns: their meaning in gitignore(5), and a limit for the time that any pattern may take.

import TestSupport
import Testing

@testable import MementoModel

struct IgnoreListTests {
  private func rule(_ file: String, _ path: String, isFolder: Bool = false) -> String? {
    let list = IgnoreList(file: file.bytes, source: BytePath(".mementoignore"))
    let name = BytePath(path).components.last ?? []
    return name.withUnsafeBufferPointer { name in
      path.bytes.withUnsafeBufferPointer { path in
        list.lastMatch(name: name, path: path, isFolder: isFolder).map {
          "\($0.rule.line):\(String(decoding: $0.rule.pattern, as: UTF8.self))"
        }
      }
    }
  }

  @Test(arguments: [
    ("foo", "foo"), ("foo", "a/foo"), ("/foo", "foo"), ("a/foo", "a/foo"), ("*.o", "a/b.o"), ("a/*", "a/b"),
    ("**/foo", "foo"), ("**/foo", "a/b/foo"), ("a/**", "a/b/c"), ("a/**/b", "a/b"), ("a/**/b", "a/x/y/b"),
    ("f?o", "fxo"),
    ("[a-c]x", "bx"), ("[!a]x", "bx"), ("\\!x", "!x"), ("\\#x", "#x"), ("x\\ ", "x "), ("x ", "x"), ("a**b/c", "aXb/c"),
    ("**", "a/b"), ("a\\/b", "a/b"), ("[[:digit:]]", "7"), ("[]-]x", "-x"), ("**/a/**/b", "x/a/y/z/b"),
    ("a/**/*", "a/b"),
    ("x/**\\/b", "x/a/b"), ("*/**/*.c", "a/b/c/d.c"),
  ])
  func fits(_ pattern: String, _ path: String) {
    #expect(rule(pattern, path) != nil)
  }

  @Test(arguments: [
    ("foo/", "foo"), ("/foo", "a/foo"), ("a/foo", "b/a/foo"), ("a/*", "a/b/c"), ("a/**", "a"), ("f?o", "f/o"),
    ("#x", "#x"), ("", ""), ("/", "a"), ("!", "!"), ("a[", "a["), ("[[:word:]]", "a"), ("a\\", "a\\"),
    ("a?b/c", "a/b/c"),
    ("a[/]b", "a/b"), ("  ", "  "), ("//a", "a"), ("a//b", "a/b"), ("x/**\\/b", "x/b"), ("**a/b", "c/a/b"),
  ])
  func doesNotFit(_ pattern: String, _ path: String) {
    #expect(rule(pattern, path) == nil)
  }

  /// `**` means more than `*` only between slashes.
  @Test func aStarThatFollowsALetterIsOne() {
    #expect(rule("a**/b", "ab") == nil)
    #expect(rule("a**/b", "axx/b") != nil)
    #expect(rule("a**/b", "a/x/b") == nil)
  }

  @Test func theLastRuleDecides() {
    #expect(rule("*.o\n# no\n\n!keep.o\n", "keep.o") == "4:!keep.o")
    #expect(rule("!keep.o\n*.o\n", "keep.o") == "2:*.o")
    #expect(rule("\u{FEFF}a\r\nb/ \r\nc", "a") == "1:a")
    #expect(rule("\u{FEFF}a\r\nb/ \r\nc", "b", isFolder: true) == "2:b/")
    #expect(rule("\u{FEFF}a\r\nb/ \r\nc", "c") == "3:c")
  }

  @Test func givenPatternsAreTakenAsTheyAre() {
    let list = IgnoreList(patterns: ["#a".bytes, "b ".bytes, []], source: BytePath("--exclude"))
    for (name, line) in [("#a", 1), ("b ", 2)] {
      let match = name.bytes.withUnsafeBufferPointer { list.lastMatch(name: $0, path: $0, isFolder: false) }
      #expect(match?.rule.line == line)
    }
    #expect("b".bytes.withUnsafeBufferPointer { list.lastMatch(name: $0, path: $0, isFolder: false) } == nil)
  }

  /// With backtracking over all possibilities, these would take longer than the age of the universe.
  @Test(arguments: [
    String(repeating: "*a", count: 60) + "b", String(repeating: "**/", count: 60) + "b",
    String(repeating: "a/**/", count: 60) + "b", String(repeating: "**/*a", count: 60) + "b",
    String(repeating: "*?[a]", count: 60),
  ])
  func nothingTakesLong(_ pattern: String) {
    let name = String(repeating: "a", count: 255)
    let path = String(repeating: "aaa/", count: 400) + name
    #expect(rule(pattern, path) == nil || pattern.hasSuffix("]"))
    #expect(rule("x/" + pattern, "x/" + path) == nil || pattern.hasSuffix("]"))
  }

  @Test func noiseDoesNotTrap() {
    for seed in 0..<300 {
      let file = Content.random(200, seed: UInt64(seed)).map { $0 % 3 == 0 ? $0 : "*[]\\/!-: a^\n".bytes[Int($0) % 12] }
      let list = IgnoreList(file: file, source: BytePath("x"))
      for path in ["a", "a/b", "a/[/*", "/"] {
        path.bytes.withUnsafeBufferPointer { _ = list.lastMatch(name: $0, path: $0, isFolder: true) }
      }
    }
  }
}
