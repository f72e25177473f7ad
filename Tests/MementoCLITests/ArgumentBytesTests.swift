import MementoKit
import Testing

@testable import MementoCLI

@Suite struct ArgumentBytesTests {
  @Test(arguments: [
    Array("plain".utf8), [], Array("żółw 🐢 日本".utf8), [0xFF], [0x61, 0xC3, 0x28], [0xC3], [0xE2, 0x82],
    [0xF0, 0x9F, 0x98], [0xC0, 0x80], [0xED, 0xA0, 0x80], Array(UInt8(1)...255),
    // The first and last scalars that stand for bytes, and the neighbour that does not.
    Array("\u{10FF00}".utf8), Array("\u{10FFFF}x".utf8), Array("\u{10FEFF}".utf8), [0xF4, 0x8F, 0xBC],
    // Not to be composed: the bytes are the name.
    Array("e\u{301}".utf8), Array("\u{E9}".utf8),
  ])
  func everyArgumentComesBack(_ bytes: [UInt8]) {
    #expect(ArgumentBytes.decode(ArgumentBytes.encode(bytes)) == bytes)
  }

  @Test func textStaysText() {
    #expect(ArgumentBytes.encode(Array("a ż".utf8)) == "a ż")
  }

  @Test func aBadByteIsOneScalarAtTheEndOfUnicode() {
    #expect(ArgumentBytes.encode([0x61, 0xFF]).unicodeScalars.map(\.value) == [0x61, 0x10_FFFF])
  }

  @Test func everyPairOfBytesComesBack() {
    for first in UInt8.min...255 {
      for second in UInt8.min...255 {
        let bytes = [first, second]
        if ArgumentBytes.decode(ArgumentBytes.encode(bytes)) != bytes { Issue.record("\(bytes)") }
      }
    }
  }

  @Test func pathsAreAnyBytesButNotNone() {
    #expect(PathArgument(argument: ArgumentBytes.encode([0x61, 0xFF]))?.path == BytePath([0x61, 0xFF]))
    #expect(PathArgument(argument: "") == nil)
  }

  @Test func textIsUTF8() {
    #expect(TextArgument(argument: "ż")?.text == "ż")
    #expect(TextArgument(argument: ArgumentBytes.encode([0xFF])) == nil)
    #expect(TextArgument(argument: ArgumentBytes.encode(Array("\u{10FF41}".utf8)))?.text == "\u{10FF41}")
  }

  @Test(arguments: ["-1", "nan", "inf", "1e99", "", "x", "10s"])
  func aWaitIsANumberOfSeconds(_ text: String) {
    #expect(SecondsArgument(argument: text) == nil)
  }

  @Test func aWaitMayBeAFraction() {
    #expect(SecondsArgument(argument: "0.5")?.seconds == 0.5)
    #expect(SecondsArgument(argument: "0")?.seconds == 0)
  }

  @Test func aCountIsNotNegative() {
    #expect(CountArgument(argument: "0")?.count == 0)
    #expect(CountArgument(argument: "-3") == nil)
    #expect(CountArgument(argument: "99999999999999999999") == nil)
  }
}
