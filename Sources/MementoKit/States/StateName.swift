// The rules for names of states.

/// The rules for names of states: UTF-8 of at most 255 bytes that no terminal, shell or revision can misread.
public enum StateName {
  /// The greatest length in bytes.
  public static let longest = 255

  /// Throws `.invalidName`, with the reason, when a state cannot have this name.
  public static func validate(_ name: String) throws(RepositoryError) {
    guard let reason = refusal(name) else { return }
    throw RepositoryError(
      .invalidName, "the name \"\(printable(name))\" cannot be used: \(reason)")
  }

  private static func refusal(_ name: String) -> String? {
    if name.isEmpty { return "it is empty" }
    if name.utf8.count > longest { return "it has more than \(longest) bytes" }
    // Compares bytes: "-" with a combining accent is another character than "-".
    let bytes = Array(name.utf8)
    if bytes.first == UInt8(ascii: "-") { return "it begins with -" }
    if bytes.first == UInt8(ascii: "@") { return "it begins with @" }
    if zip(bytes, bytes.dropFirst()).contains(where: { $0 == UInt8(ascii: "@") && $1 == UInt8(ascii: "{") }) {
      return "it contains @{"
    }
    for scalar in name.unicodeScalars {
      if ":~\\*?[".unicodeScalars.contains(scalar) { return "it contains \(scalar)" }
      if isHidden(scalar) { return "it contains a character that cannot be seen" }
    }
    if let first = name.unicodeScalars.first, let last = name.unicodeScalars.last,
      first.properties.isWhitespace || last.properties.isWhitespace
    {
      return "it begins or ends with white space"
    }
    if name.utf8.count == 64, name.utf8.allSatisfy({ isHexDigit($0) }) { return "it looks like a snapshot id" }
    return nil
  }

  /// Whether a character is a control, a bidirectional control, or has no width.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }

  private static func printable(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.map { isHidden($0) ? "\u{FFFD}" : $0 }))
  }

  /// Whether two different names look the same to a reader: they differ only by Unicode normal form or by case.
  static func isConfusable(_ first: String, _ second: String) -> Bool {
    Spelling(first).isConfusable(with: second)
  }

  /// A name as a reader sees it, for comparing it with many others.
  struct Spelling {
    private let name: String
    private let folded: String
    private let isPlain: Bool

    init(_ name: String) {
      self.name = name
      folded = name.lowercased()
      isPlain = name.utf8.allSatisfy { $0 < 0x80 }
    }

    func isConfusable(with other: String) -> Bool {
      // A quick answer for ASCII: most names differ in length or in one of the first letters.
      if isPlain, other.utf8.count != name.utf8.count || !agrees(other), other.utf8.allSatisfy({ $0 < 0x80 }) {
        return false
      }
      return !name.utf8.elementsEqual(other.utf8) && folded == other.lowercased()
    }

    /// Whether the letters are equal, apart from the case of ASCII letters.
    private func agrees(_ other: String) -> Bool {
      zip(name.utf8, other.utf8).allSatisfy { left, right in
        left == right || (left | 0x20 == right | 0x20 && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(left | 0x20))
      }
    }
  }
}
