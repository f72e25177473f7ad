// A text as lines. A line includes its newline, so the last line of a text differs from the same line without a
// newline.

struct TextLines: Sendable {
  let bytes: [UInt8]
  /// The offset of each line, and the end of the last one.
  private let starts: [UInt32]

  /// Splits a text into lines. Nil when it has more than `limit` lines, or 4 GiB or more.
  init?(_ bytes: [UInt8], limit: Int) {
    guard bytes.count < Int(UInt32.max) else { return nil }
    var starts: [UInt32] = [0]
    let isWhole = bytes.withUnsafeBytes { bytes in
      forEachNewline(bytes) { place in
        starts.append(UInt32(place + 1))
        return starts.count - 1 <= limit
      }
    }
    if let last = starts.last, Int(last) < bytes.count { starts.append(UInt32(bytes.count)) }
    guard isWhole, starts.count - 1 <= limit else { return nil }
    self.bytes = bytes
    self.starts = starts
  }

  var count: Int { starts.count - 1 }

  func range(of line: Int) -> Range<Int> {
    Int(starts[line])..<Int(starts[line + 1])
  }

  subscript(line: Int) -> ArraySlice<UInt8> { bytes[range(of: line)] }

  /// The bytes of some lines.
  subscript(lines lines: Range<Int>) -> ArraySlice<UInt8> {
    lines.isEmpty
      ? [] : bytes[range(of: lines.lowerBound).lowerBound..<range(of: lines.upperBound - 1).upperBound]
  }

  /// Whether a line of this text and a line of another have the same bytes.
  func isEqual(_ line: Int, _ other: TextLines, _ otherLine: Int) -> Bool {
    let (left, right) = (range(of: line), other.range(of: otherLine))
    guard left.count == right.count else { return false }
    return bytes.withUnsafeBytes { bytes in
      other.bytes.withUnsafeBytes { otherBytes in
        areEqual(
          UnsafeRawBufferPointer(rebasing: bytes[left]), UnsafeRawBufferPointer(rebasing: otherBytes[right]))
      }
    }
  }
}

/// Calls `body` with the place of each newline until it returns false; then it returns false itself. It looks at eight bytes
/// at a time: a byte that is 0 after the exclusive or is a newline, and the sum marks those that are not 0 in their highest
/// bits (H. S. Warren, "Hacker's Delight", 6-1).
private func forEachNewline(_ bytes: UnsafeRawBufferPointer, _ body: (Int) -> Bool) -> Bool {
  let (ones, low): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x7f7f_7f7f_7f7f_7f7f)
  var place = 0
  while place + 8 <= bytes.count {
    let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    let rest = word ^ (ones &* UInt64(UInt8(ascii: "\n")))
    var marks = ~(((rest & low) &+ low) | rest | low)
    while marks != 0 {
      if !body(place + marks.trailingZeroBitCount / 8) { return false }
      marks &= marks &- 1
    }
    place += 8
  }
  while place < bytes.count {
    if bytes[place] == UInt8(ascii: "\n"), !body(place) { return false }
    place += 1
  }
  return true
}

/// Whether two buffers of the same length have the same bytes. It compares eight bytes at a time.
private func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  var place = 0
  while place + 8 <= left.count {
    if left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      != right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    {
      return false
    }
    place += 8
  }
  while place < left.count {
    if left[place] != right[place] { return false }
    place += 1
  }
  return true
}
