// The name of a fork: a working folder beside the main one of a store.

/// Names a fork for good, wherever its folder lies: eight random hexadecimal digits.
package struct ForkID: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// Nil when the text is not eight hexadecimal digits, the letters small.
  package init?(_ text: some StringProtocol) {
    let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
    guard text.utf8.count == 8, text.utf8.allSatisfy(isDigit) else { return nil }
    description = String(text)
  }
}
