// Who writes to a remote, and how many records it has written.

internal import MementoModel

/// A writer of refs records: one for each local store and remote. 16 random bytes, 32 hex digits in lower case as text.
package struct WriterID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package init(using generator: inout some RandomNumberGenerator) {
    self.init(high: generator.next(), low: generator.next())
  }

  /// Reads 32 hex digits in lower case. Nil for any other text.
  package init?(hex: some StringProtocol) {
    guard hex.utf8.count == 32, hex.utf8.allSatisfy({ hexValue($0) != nil && !(0x41...0x46).contains($0) }) else {
      return nil
    }
    var words: [UInt64] = [0, 0]
    for (index, digit) in hex.utf8.enumerated() {
      words[index / 16] = words[index / 16] << 4 | UInt64(hexValue(digit) ?? 0)
    }
    self.init(high: words[0], low: words[1])
  }

  package static func < (left: WriterID, right: WriterID) -> Bool { (left.high, left.low) < (right.high, right.low) }

  package var description: String {
    func digits(_ word: UInt64) -> String {
      let text = String(word, radix: 16)
      return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
    return digits(high) + digits(low)
  }
}

/// One refs record of one writer. Each value of a name has the dot of the record that moved it.
package struct Dot: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let writer: WriterID
  /// From 1 on.
  package let number: UInt64

  package init(writer: WriterID, number: UInt64) {
    self.writer = writer
    self.number = number
  }

  package static func < (left: Dot, right: Dot) -> Bool {
    left.writer == right.writer ? left.number < right.number : left.writer < right.writer
  }

  package var description: String { "\(writer)/\(number)" }
}
