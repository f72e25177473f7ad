// The text of the progress line. It needs no terminal, so that it can be tested.

import MementoKit

struct ProgressLine: Equatable {
  var phase: Phase
  var files: Int
  var bytes: UInt64
  var seconds: Double
  /// How many bytes there are going to be; 0 when that is not known.
  var expected: UInt64 = 0

  /// The line, for example `saving  1234 files  1.2 GiB  210.0 MiB/s`, or with what is expected `pushing  1.2 GiB of
  /// 4.0 GiB  10.0 MiB/s  4min left`, cut to fit into `width` columns.
  func text(width: Int) -> String {
    var parts = [word]
    if files > 0 { parts.append(Quantity.count(files, "file")) }
    if bytes > 0 {
      parts.append(Quantity.bytes(bytes) + (expected >= bytes ? " of \(Quantity.bytes(expected))" : ""))
      if seconds > 0.2 { parts.append(Quantity.bytes(rate) + "/s") }
    }
    if let left { parts.append("\(Quantity.age(left)) left") }
    // One column stays free: some terminals wrap a full line, and then it cannot be erased.
    return String(parts.joined(separator: "  ").prefix(max(0, width - 1)))
  }

  private var rate: UInt64 {
    UInt64(exactly: (Double(bytes) / seconds).rounded()) ?? 0
  }

  /// In seconds. The first two tell too little.
  private var left: UInt64? {
    guard bytes > 0, expected > bytes, seconds > 2 else { return nil }
    return UInt64(exactly: (Double(expected - bytes) * seconds / Double(bytes)).rounded())
  }

  private var word: String {
    phase == .collectingGarbage ? "collecting garbage" : "\(phase)"
  }
}
