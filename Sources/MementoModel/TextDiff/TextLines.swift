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
    let isWhole = bytes.withUnsafeBufferPointer { bytes in
      for (place, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
        starts.append(UInt32(place + 1))
        if starts.count - 1 > limit { return false }
      }
      return true
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
