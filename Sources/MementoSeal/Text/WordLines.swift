// Text of lines that begin with a word: the form of markers and slots.

/// The lines of a text, each `word value` and a newline. A word stands there once.
struct WordLines {
  /// The longest text that is looked at, in bytes.
  static let maximumSize = 4096

  private var values: [String: ArraySlice<UInt8>] = [:]
  /// Where each line begins, by its word.
  private var starts: [String: Int] = [:]
  /// The word of the last line.
  private(set) var last = ""

  /// The number in the first line, `title` and the number. Nil when the text has no such line. It is looked at before
  /// the others, which may have any form in a newer version.
  static func version(_ text: [UInt8], title: String) -> UInt64? {
    guard text.starts(with: Array("\(title) ".utf8)), let end = text.firstIndex(of: UInt8(ascii: "\n")) else {
      return nil
    }
    return number(text[(title.utf8.count + 1)..<end])
  }

  /// The lines after the first one. Nil when the text is too long or not made of such lines.
  init?(_ text: [UInt8]) {
    guard text.count <= WordLines.maximumSize, text.last == UInt8(ascii: "\n"),
      var start = text.firstIndex(of: UInt8(ascii: "\n")).map({ $0 + 1 })
    else { return nil }
    while start < text.count {
      guard let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      let line = text[start..<end]
      guard let space = line.firstIndex(of: UInt8(ascii: " ")), space > start,
        line[..<space].allSatisfy({ UInt8(ascii: "a") <= $0 && $0 <= UInt8(ascii: "z") })
      else { return nil }
      let word = String(decoding: line[..<space], as: UTF8.self)
      guard values.updateValue(line[(space + 1)...], forKey: word) == nil else { return nil }
      starts[word] = start
      last = word
      start = end + 1
    }
  }

  /// What follows a word. Nil when no line begins with it.
  subscript(word: String) -> ArraySlice<UInt8>? { values[word] }

  /// Where in the text the line of a word begins.
  func start(of word: String) -> Int? { starts[word] }

  /// The bytes that the digits of a word give. Nil when there are not exactly `count` of them.
  func bytes(_ word: String, count: Int) -> [UInt8]? {
    guard let digits = values[word], digits.count == 2 * count else { return nil }
    return Hexadecimal.bytes(digits)
  }

  /// A number without leading zeros. Nil for anything else, and beyond eighteen digits.
  static func number(_ text: ArraySlice<UInt8>) -> UInt64? {
    guard let first = text.first, text.count <= 18, first != UInt8(ascii: "0") || text.count == 1 else { return nil }
    var value: UInt64 = 0
    for digit in text {
      guard UInt8(ascii: "0") <= digit, digit <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + UInt64(digit - UInt8(ascii: "0"))
    }
    return value
  }
}
