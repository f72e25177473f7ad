import TestSupport
import Testing

@testable import MementoCLI

@Suite struct JSONReaderTests {
  private func read(_ text: String) throws -> JSONNode { try JSONReader.read(Array(text.utf8)) }

  @Test(arguments: [
    #"{"a":[1,-2.5e+3,true,false,null,"x"],"b":{}}"#, "[]", "0", "-0.1E5", #""é\u0001""#, "[[],[[]],{}]",
    #"{"a":1,"a":2}"#,
  ])
  func whatIsReadIsWrittenAgain(_ text: String) throws {
    #expect(try JSONWriter.text(read(text)) == text)
    #expect(try JSONWriter.text(read(" \t\r\n" + text + "\n ")) == text)
  }

  @Test func escapes() throws {
    #expect(try read(#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#) == .text("\"\\/\u{8}\u{c}\n\r\té😀"))
    #expect(JSONWriter.text(.text("a\n\u{1B}\u{7F}\"\\")) == #""a\n\u001b\u007f\"\\""#)
  }

  @Test(arguments: [
    "", " ", "{", "[", "[1", "[1,", "[1,]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}", "{a:1}", "{1:1}", "[1}",
    "{]", "tru", "nulll", "01", "-", "1.", ".5", "1e", "+1", "NaN", "Infinity", "'a'", "\"a", "\"\\x\"", "\"\\u12\"",
    "\"\\ud800\"",
    "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"a\nb\"", "1 2", "[1] x", "\u{FEFF}1", "[,1]",
    "{\"a\" 1}", "/**/1",
  ])
  func whatIsNoJSON(_ text: String) {
    #expect(throws: JSONProblem.self) { try read(text) }
  }

  @Test func depthIsBounded() throws {
    let deepest = JSONReader.deepest
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(try JSONWriter.text(read(nested(deepest))) == nested(deepest))
    #expect(throws: JSONProblem.self) { try read(nested(deepest + 1)) }
    #expect(throws: JSONProblem.self) { try read(String(repeating: "{\"a\":", count: 1_000_000)) }
  }

  /// Whatever bytes come, the reader ends with a value or an error.
  @Test func anyBytesEnd() {
    var random = SplitMix64(seed: 7)
    let seed = Array(#"{"a":[1,-2.5e3,"\ud83d\ude00é",null],"b":{"c":true}}"#.utf8)
    for _ in 0..<20_000 {
      var bytes = seed
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: place)
        }
        if bytes.isEmpty { bytes = [0x5B] }
      }
      do {
        let node = try JSONReader.read(bytes)
        #expect(throws: Never.self) { try JSONReader.read(Array(JSONWriter.text(node).utf8)) }
      } catch {}  // most are no JSON
    }
  }
}
