// What is searched for in content: an extended regular expression of POSIX, or a text. Both are bytes.

internal import MementoStore
internal import MementoSystem

/// A pattern for lines of content.
public struct SearchPattern: Sendable {
  /// What was given.
  public let bytes: [UInt8]
  /// Whether letters of ASCII match their other case.
  public let ignoresCase: Bool
  /// The text that is searched for, when the pattern is one.
  let literal: [UInt8]?
  /// The regular expression, when the pattern is not a text.
  let expression: [UInt8]
  /// A text that every match has in it; empty when none is known.
  let required: [UInt8]

  /// An extended regular expression of POSIX. Throws `.invalidArgument` when it is not one.
  public init(regularExpression bytes: [UInt8], ignoringCase: Bool = false) throws(RepositoryError) {
    try self.init(bytes, isText: false, ignoringCase)
  }

  /// Exactly this text. Throws `.invalidArgument` when it is empty or has a line break or a NUL.
  public init(text bytes: [UInt8], ignoringCase: Bool = false) throws(RepositoryError) {
    if bytes.isEmpty { throw RepositoryError(.invalidArgument, "there is no text to search for") }
    try self.init(bytes, isText: true, ignoringCase)
  }

  /// Any bytes, of which only the occurrences are counted.
  init(bytes: [UInt8]) {
    self.bytes = bytes
    ignoresCase = false
    literal = bytes
    expression = []
    required = []
  }

  private init(_ bytes: [UInt8], isText: Bool, _ ignoringCase: Bool) throws(RepositoryError) {
    if bytes.contains(0) || bytes.contains(UInt8(ascii: "\n")) {
      throw RepositoryError(.invalidArgument, "what is searched for is one line")
    }
    self.bytes = bytes
    ignoresCase = ignoringCase
    let isPlain = isText || (!bytes.isEmpty && !bytes.contains(where: SearchPattern.isSpecial))
    literal = isPlain && !ignoringCase ? bytes : nil
    expression = isText ? bytes.flatMap { SearchPattern.isSpecial($0) ? [UInt8(ascii: "\\"), $0] : [$0] } : bytes
    required = ignoringCase || isPlain ? [] : SearchPattern.required(of: bytes)
    do throws(RegularExpression.Failure) {
      _ = try RegularExpression(expression, ignoringCase: ignoringCase)
    } catch {
      throw RepositoryError(.invalidArgument, "this is no regular expression: \(error.reason)")
    }
  }

  private static func isSpecial(_ byte: UInt8) -> Bool { "\\^$.[]|()*+?{}".utf8.contains(byte) }

  /// The longest text that all matches of an expression have in them, as far as a simple look tells. Looking for it is much
  /// faster than looking for a match.
  static func required(of expression: [UInt8]) -> [UInt8] {
    if expression.contains(UInt8(ascii: "|")) { return [] }
    var longest: [UInt8] = []
    var run: [UInt8] = []
    func end() {
      if run.count > longest.count { longest = run }
      run = []
    }
    var place = 0
    while place < expression.count {
      var byte = expression[place]
      var isLiteral = !isSpecial(byte) || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
      switch byte {
      case UInt8(ascii: "["):
        place = bracketEnd(expression, place)
      case UInt8(ascii: "("):
        place = groupEnd(expression, place)
      case UInt8(ascii: "{"):
        // Bounds, as in `a{2,3}`. What is inside is no text.
        place = expression[place...].firstIndex(of: UInt8(ascii: "}")) ?? expression.count
      case UInt8(ascii: "\\") where place + 1 < expression.count:
        place += 1
        byte = expression[place]
        // A backslash before a letter or a digit is more than that letter: `\w`, `\1`.
        isLiteral = isSpecial(byte)
      default: break
      }
      place += 1
      let next = place < expression.count ? expression[place] : 0
      // What may be missing is not required.
      if isLiteral, !"*?{".utf8.contains(next) { run.append(byte) } else { end() }
      if next == UInt8(ascii: "+") {
        end()
        // `a+*` lets the letter be missing after all.
        if place + 1 < expression.count, "*?{".utf8.contains(expression[place + 1]) { return [] }
      }
    }
    end()
    return longest
  }

  private static func bracketEnd(_ expression: [UInt8], _ start: Int) -> Int {
    var place = start + 1
    if place < expression.count, expression[place] == UInt8(ascii: "^") { place += 1 }
    if place < expression.count, expression[place] == UInt8(ascii: "]") { place += 1 }
    while place < expression.count, expression[place] != UInt8(ascii: "]") {
      if expression[place] == UInt8(ascii: "["), place + 1 < expression.count,
        ":.=".utf8.contains(expression[place + 1])
      {
        let kind = expression[place + 1]
        place += 2
        while place + 1 < expression.count, expression[place] != kind || expression[place + 1] != UInt8(ascii: "]") {
          place += 1
        }
        place += 1
      }
      place += 1
    }
    return place
  }

  private static func groupEnd(_ expression: [UInt8], _ start: Int) -> Int {
    var depth = 0
    var place = start
    while place < expression.count {
      switch expression[place] {
      case UInt8(ascii: "\\"): place += 1
      case UInt8(ascii: "["): place = bracketEnd(expression, place)
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth == 0 { return place }
      default: break
      }
      place += 1
    }
    return place
  }
}
