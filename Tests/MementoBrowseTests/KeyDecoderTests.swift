import TestSupport
import Testing

@testable import MementoBrowse

@Suite struct KeyDecoderTests {
  private func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.keys(Array(text.utf8)) + decoder.finish()
  }

  @Test(arguments: [
    ("j", [Key.character("j")]), ("jk", [.character("j"), .character("k")]), (" ", [.character(" ")]),
    ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]), ("\u{8}", [.backspace]),
    ("\u{3}", [.control("c")]), ("\u{12}", [.control("r")]), ("\u{1A}", [.control("z")]), ("\0", []),
    ("\u{1B}[A", [.up]), ("\u{1B}OB", [.down]), ("\u{1B}[C", [.right]), ("\u{1B}[D", [.left]),
    ("\u{1B}[H", [.home]), ("\u{1B}[4~", [.end]), ("\u{1B}[5~", [.pageUp]), ("\u{1B}[6~", [.pageDown]),
    ("\u{1B}[1;5A", [.up]), ("\u{1B}[3~", [.delete]), ("\u{1B}[Z", [.backTab]), ("\u{1B}OM", [.enter]),
    ("\u{1B}[15~j", [.character("j")]), ("\u{1B}[[Ax", [.character("x")]), ("\u{1B}[?1;2cx", [.character("x")]),
    ("\u{1B}[M !!x", [.character("x")]), ("\u{1B}[<0;1;1Mx", [.character("x")]),
    ("\u{1B}", [.escape]), ("\u{1B}\u{1B}", [.escape, .escape]), ("\u{1B}q", [.escape, .character("q")]),
    ("\u{1B}[", [.escape, .character("[")]), ("\u{1B}O", [.escape, .character("O")]),
    ("é日🐢", [.character("é"), .character("日"), .character("🐢")]),
    // What nobody can see is no key.
    ("\u{200B}\u{85}x", [.character("x")]),
  ])
  func keysAreFound(_ text: String, _ expected: [Key]) {
    #expect(keys(text) == expected)
  }

  @Test(arguments: ["\u{1B}[1;5A", "\u{1B}OB", "\u{1B}[6~", "é", "日", "🐢", "\u{1B}[200~qyr\u{1B}[201~j"])
  func aKeyMayComeInPieces(_ text: String) {
    let bytes = Array(text.utf8)
    let whole = keys(text)
    for cut in 1..<bytes.count {
      var decoder = KeyDecoder()
      #expect(decoder.keys(bytes[..<cut]) + decoder.keys(bytes[cut...]) == whole, "\(cut)")
      #expect(!decoder.isWaiting)
    }
    var decoder = KeyDecoder()
    #expect(bytes.flatMap { decoder.keys([$0]) } == whole)
  }

  @Test func escapeIsKnownWhenNothingFollows() {
    var decoder = KeyDecoder()
    #expect(decoder.keys([0x1B]) == [])
    #expect(decoder.isWaiting)
    #expect(decoder.finish() == [.escape])
    #expect(!decoder.isWaiting)
    #expect(decoder.finish() == [])
  }

  @Test func whatIsPastedIsNotTyped() {
    #expect(keys("a\u{1B}[200~ y\r\u{1B}[A\u{3}q\u{1B}[201~b") == [.character("a"), .character("b")])
    var decoder = KeyDecoder()
    #expect(decoder.keys(Array("\u{1B}[200~yes".utf8)) == [])
    // It goes on however long it takes.
    #expect(!decoder.isWaiting)
    #expect(decoder.finish() == [])
    #expect(decoder.keys(Array(String(repeating: "y", count: 100_000).utf8)) == [])
    #expect(decoder.keys(Array("\u{1B}[201~q".utf8)) == [.character("q")])
  }

  @Test func brokenBytesAreNoKeys() {
    var decoder = KeyDecoder()
    #expect(decoder.keys([0xFF, 0xC0, 0x80, 0xE2, 0x41]) == [.character("A")])
    #expect(decoder.keys([0xE2, 0x82]) == [])
    #expect(decoder.finish() == [])
    #expect(decoder.keys([0x1B, 0x5B, 0x31, 0x03]) == [.control("c")])
    #expect(decoder.keys([0x1B, 0x5B] + Array(repeating: 0x31, count: 500) + [0x41]).count <= 600)
  }

  /// Any bytes, in any pieces: no trap, and the same keys as at once, where nothing waits too long.
  @Test func anyBytesAreTaken() {
    var random = SplitMix64(seed: 1)
    let likely: [UInt8] = [0x1B, 0x5B, 0x4F, 0x32, 0x30, 0x31, 0x7E, 0x41, 0x3B, 0xC3, 0xA9, 0xF0, 0x9F]
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        Bool.random(using: &random)
          ? likely.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
      }
      var whole = KeyDecoder()
      let expected = whole.keys(bytes)
      var pieces = KeyDecoder()
      #expect(bytes.flatMap { pieces.keys([$0]) } == expected, "\(bytes)")
      _ = pieces.finish()
    }
  }
}
