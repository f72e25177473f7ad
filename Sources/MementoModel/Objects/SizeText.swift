// Reads sizes as people write them: `500k`, `20M`, `1.5GiB`. The letters stand for powers of 1024, as in restic and
// tar.

package enum SizeText {
  /// The number of bytes. Nil for any other text, and for a size larger than a file can be.
  package static func bytes(_ text: some StringProtocol) -> UInt64? {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard let factor = factor(text[number.endIndex...].lowercased()), parts.count <= 2, let whole = UInt64(parts[0])
    else { return nil }
    let (bytes, overflow) = whole.multipliedReportingOverflow(by: factor)
    guard !overflow else { return nil }
    var total = bytes
    if parts.count == 2 {
      // A fraction of a byte is rounded down.
      guard factor > 1, (1...9).contains(parts[1].count), let digits = UInt64(parts[1]) else { return nil }
      let scale = (0..<parts[1].count).reduce(1.0) { scale, _ in scale * 10 }
      let (sum, overflow) = bytes.addingReportingOverflow(UInt64(Double(digits) / scale * Double(factor)))
      guard !overflow else { return nil }
      total = sum
    }
    return total <= UInt64(Int64.max) ? total : nil
  }

  private static func factor(_ unit: String) -> UInt64? {
    switch unit {
    case "", "b": 1
    case "k", "kb", "kib": 1 << 10
    case "m", "mb", "mib": 1 << 20
    case "g", "gb", "gib": 1 << 30
    case "t", "tb", "tib": 1 << 40
    default: nil
    }
  }
}
