// The names that a state may have, and what a name means.

import TestSupport
import Testing

@testable import MementoKit

struct StateNameTests {
  static let refused = [
    "", "-", "-a", "--help", "@", "@a", "@{1}", "a@{1}", "a@{", ":", "a:b", "a:", "~", "a~", "a~1", "\\", "a\\b", "*",
    "a*", "?", "a?b", "[", "a[0]", " ", " a", "a ", "\t", "\ta", "a\t", "a\tb", "\n", "a\nb", "a\r", "\0", "a\0b",
    "\u{1}", "\u{1b}[31m", "\u{7f}", "\u{80}", "\u{85}", "\u{9f}", "\u{a0}a", "a\u{a0}", "\u{2003}a", "a\u{3000}",
    "a\u{200b}b", "a\u{200c}b", "a\u{200d}b", "\u{feff}a", "a\u{2060}", "a\u{ad}b", "a\u{34f}b", "a\u{3164}",
    "a\u{202a}b", "a\u{202b}b", "a\u{202c}b", "a\u{202d}b", "a\u{202e}b", "a\u{2066}b", "a\u{2067}b", "a\u{2068}b",
    "a\u{2069}b", "a\u{200e}b", "a\u{200f}b", "a\u{61c}b", "a\u{2028}b", "a\u{2029}b", "a\u{fe0f}b", "a\u{e0001}b",
    "a\u{180e}b", String(repeating: "a", count: 256), String(repeating: "é", count: 128),
    String(repeating: "a", count: 64), String(repeating: "0123456789abcDEF", count: 4),
    // A comparison by characters does not see the character before a combining mark.
    "-\u{301}a", "@\u{301}", "a@{\u{301}", "a:\u{301}", "a~\u{301}1", "\u{301}\u{202e}", "a \u{301}:",
  ]

  static let accepted = [
    "a", "A", "0", "a b", "a/b", "exp/lr 0.1", "/", "a/", "/a", "..", ".", ".a", "a.", "a..b", "a.lock", "a-b", "a@b",
    "a{b}", "a}b", "{", "a]", "#", "a#1", "\"a\"", "'", "$HOME", "`id`", "a;b", "a|b", "a&b", "<>", "!", "=", "%00",
    "^", "a^1", "ü", "\u{e9}", "e\u{301}", "日本語", "🙂", "абв", "עברית", "123456", "abcd", "deadbeef",
    String(repeating: "a", count: 63), String(repeating: "a", count: 65), String(repeating: "g", count: 64),
    String(repeating: "a", count: 255), "before-upgrade", "v1.2.3", "a,b", "a+b", "_", "HEAD", "master", "pending",
    "position 1", "generation",
  ]

  @Test(arguments: refused)
  func refuses(_ name: String) {
    #expect(code { try StateName.validate(name) } == .invalidName)
  }

  @Test func refusesBeforeAnythingIsWritten() throws {
    let shop = try RepositoryFixture()
    try shop.save("a")
    let refs = try shop.storeFolder.read("refs".bytes)
    for name in ["", "-x", "a:b"] {
      #expect(code { try shop.save(name) } == .invalidName)
      #expect(code { try shop.repository.name("a", as: name) } == .invalidName)
      #expect(code { try shop.repository.saveValue(readingFrom: -1, as: name) } == .invalidName)
    }
    #expect(try shop.storeFolder.read("refs".bytes) == refs)
  }

  /// Every accepted name can be found, listed and deleted.
  @Test func acceptsAndFindsAgain() throws {
    let shop = try RepositoryFixture()
    for (number, name) in StateNameTests.accepted.enumerated() {
      try shop.folder.write("file".bytes, "\(number)".bytes)
      let existing = try shop.repository.stateNames().keys
      if existing.contains(where: { StateName.isConfusable($0, name) }) {
        #expect(code { try shop.save(name) } == .invalidName)
        continue
      }
      let id = try shop.save(name).snapshot.id
      #expect(try shop.repository.snapshot(Revision(name)).id == id)
      let listed = try shop.reopened().states()
      #expect(listed.first { $0.name.utf8.elementsEqual(name.utf8) }?.snapshot.id == id)
    }
    for state in try shop.repository.states() {
      #expect(try shop.repository.delete([state.name]).map(\.snapshot) == [state.snapshot.id])
      #expect(try !shop.repository.states().contains { $0.name.utf8.elementsEqual(state.name.utf8) })
    }
    #expect(try shop.repository.states() == [])
  }

  @Test(arguments: [
    ("caf\u{e9}", "cafe\u{301}"), ("release", "Release"), ("A", "a"), ("\u{c9}", "e\u{301}"), ("K", "\u{212a}"),
    ("\u{1e9e}", "\u{df}"), ("exp/A", "exp/a"),
  ])
  func refusesWhatLooksLikeAnother(_ first: String, _ second: String) throws {
    let shop = try RepositoryFixture()
    try shop.save(first)
    #expect(code { try shop.save(second) } == .invalidName)
    #expect(code { try shop.repository.name(Revision(first), as: second) } == .invalidName)
    #expect(code { try shop.repository.snapshot(Revision(second)) } == .noSuchState)
    _ = try shop.repository.delete([first])
    try shop.save(second)
  }

  @Test func noClobberKeepsAName() throws {
    let shop = try RepositoryFixture()
    let id = try shop.save("a") { $0.noClobber = true }.snapshot.id
    #expect(code { try shop.save("a") { $0.noClobber = true } } == .nameInUse)
    #expect(try shop.repository.snapshot("a").id == id)
    #expect(try shop.save("a").replaced == id)
  }

  @Test func namesASnapshotThatExists() throws {
    let shop = try RepositoryFixture()
    try shop.folder.write("file".bytes, "1".bytes)
    let id = try shop.save("a").snapshot.id
    try shop.folder.write("file".bytes, "2".bytes)
    try shop.save("b")
    let named = try shop.repository.name("a", as: "c")
    #expect(named.snapshot.id == id)
    #expect(named.replaced == nil)
    #expect(try shop.repository.snapshot("c").id == id)
    #expect(try shop.repository.log().count == 2)
    #expect(try shop.repository.name("b", as: "c").replaced == id)
    var options = NamingOptions()
    options.noClobber = true
    #expect(code { try shop.repository.name("a", as: "c", options) } == .nameInUse)
    #expect(code { try shop.repository.name("nothing", as: "d") } == .noSuchState)
    options = NamingOptions()
    options.isDryRun = true
    #expect(try !shop.repository.name("a", as: "e", options).isCommitted)
    #expect(code { try shop.repository.snapshot("e") } == .noSuchState)
  }

  @Test func deletesAllOrNone() throws {
    let shop = try RepositoryFixture()
    for name in ["a", "b", "c"] { try shop.save(name) }
    #expect(code { try shop.repository.delete(["a", "nothing"]) } == .noSuchState)
    #expect(try shop.repository.delete(["a", "b"], isDryRun: true).map(\.name) == ["a", "b"])
    #expect(try shop.repository.stateNames().count == 3)
    #expect(try shop.repository.delete(["a", "a", "c"]).map(\.name) == ["a", "c"])
    #expect(try shop.repository.states().map(\.name) == ["b"])
  }

  static let messages = [
    "", "one line", "two\nlines\n", "100 % \u{1b}[2J", "\u{202e}", String(repeating: "long ", count: 20_000), "a\0b",
    " ",
  ]

  @Test(arguments: messages)
  func messagesComeBackAsTheyWere(_ message: String) throws {
    let shop = try RepositoryFixture()
    try shop.save("a") { $0.message = message }
    #expect(try shop.reopened().snapshot("a").message.map { Array($0.utf8) } == Array(message.utf8))
  }
}
