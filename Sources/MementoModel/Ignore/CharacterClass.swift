// `[...]` in a pattern. Unusual cases are read as in wildmatch.c of git: a `]` in the first place is a member, `^`
// means `!`, both ends of a range may be escaped, and a class that is not closed or not known makes the pattern
// invalid.

enum CharacterClass {
  /// Whether a byte belongs to the class whose bracket is at `start`, and where the pattern continues after it. Nil
  /// when the class is not valid.
  static func contains(
    _ byte: UInt8, _ pattern: UnsafeBufferPointer<UInt8>, at start: Int
  ) -> (Bool, end: Int)? {
    func at(_ index: Int) -> UInt8 { index < pattern.count ? pattern[index] : 0 }
    var index = start + 1
    let isNegated = at(index) == UInt8(ascii: "!") || at(index) == UInt8(ascii: "^")
    if isNegated { index += 1 }
    var isMember = false
    /// The start of a range, if a `-` follows. 0 after a range and after a named class.
    var previous: UInt8 = 0
    var current = at(index)
    repeat {
      if current == 0 { return nil }
      if current == UInt8(ascii: "\\") {
        index += 1
        current = at(index)
        if current == 0 { return nil }
        if current == byte { isMember = true }
      } else if current == UInt8(ascii: "-"), previous != 0, at(index + 1) != 0, at(index + 1) != UInt8(ascii: "]") {
        index += 1
        current = at(index)
        if current == UInt8(ascii: "\\") {
          index += 1
          current = at(index)
          if current == 0 { return nil }
        }
        if previous <= byte, byte <= current { isMember = true }
        current = 0
      } else if current == UInt8(ascii: "["), at(index + 1) == UInt8(ascii: ":") {
        let name = index + 2
        var close = name
        while at(close) != 0, at(close) != UInt8(ascii: "]") { close += 1 }
        if at(close) == 0 { return nil }
        if close > name, at(close - 1) == UInt8(ascii: ":") {
          guard let isNamed = named(pattern[name..<close - 1], contains: byte) else { return nil }
          if isNamed { isMember = true }
          index = close
          current = 0
        } else if byte == current {
          isMember = true
        }
      } else if current == byte {
        isMember = true
      }
      previous = current
      index += 1
      current = at(index)
    } while current != UInt8(ascii: "]")
    return (isMember != isNegated, index + 1)
  }

  /// Whether a byte is in a named class of POSIX: ASCII only, in every locale. White space is what git takes for it.
  /// Nil for an unknown name.
  private static func named(_ name: Slice<UnsafeBufferPointer<UInt8>>, contains byte: UInt8) -> Bool? {
    let isUpper = (0x41...0x5a).contains(byte)
    let isLower = (0x61...0x7a).contains(byte)
    let isDigit = (0x30...0x39).contains(byte)
    let isGraph = (0x21...0x7e).contains(byte)
    switch String(decoding: name, as: UTF8.self) {
    case "alnum": return isUpper || isLower || isDigit
    case "alpha": return isUpper || isLower
    case "blank": return byte == 0x20 || byte == 0x09
    case "cntrl": return byte < 0x20 || byte == 0x7f
    case "digit": return isDigit
    case "graph": return isGraph
    case "lower": return isLower
    case "print": return isGraph || byte == 0x20
    case "punct": return isGraph && !isUpper && !isLower && !isDigit
    case "space": return byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
    case "upper": return isUpper
    case "xdigit": return isDigit || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    default: return nil
    }
  }
}
