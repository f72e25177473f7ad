// The name of a state in a remote.

/// UTF-8 of 1 to 255 bytes without control characters. Names are compared by their bytes, so two spellings of the same
/// letters are two names. Whether a state here may have the name is for others to say.
package struct RefName: Hashable, Comparable, Sendable, CustomStringConvertible {
  package static let longest = 255

  package let bytes: [UInt8]

  /// Nil when the bytes are not such a name.
  package init?(bytes: [UInt8]) {
    guard (1...RefName.longest).contains(bytes.count), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }),
      String(validating: bytes, as: UTF8.self) != nil
    else { return nil }
    self.bytes = bytes
  }

  package init?(_ text: String) { self.init(bytes: Array(text.utf8)) }

  package var text: String { String(decoding: bytes, as: UTF8.self) }
  package var description: String { text }

  package static func < (left: RefName, right: RefName) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}
