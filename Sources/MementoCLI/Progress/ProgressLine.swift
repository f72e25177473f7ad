// The text of the progress line. It needs no terminal, so that it can be tested.

import MementoKit

struct ProgressLine: Equatable {
  var phase: Phase
  var files: Int
  var bytes: UInt64
  var seconds: Double
  /// How many bytes there are going to be; 0 when that is not known.
  var expected: UInt64 = 0

  /// How many files; 0 when that is not known.
  var expectedFiles = 0

  /// The line, for example `saving  1234 files  1.2 GiB  210.0 MiB/s`, or with what is expected `saving  1234 of 60000
  /// files  1.2 GiB  210.0 MiB/s  4min left`, or `pushing  1.2 GiB of 4.0 GiB  10.0 MiB/s  4min left`, cut to fit into
  /// `width` columns.
  func text(width: Int) -> String {
    var parts = [word]
    if files > 0 {
      parts.append(
        expectedFiles >= files ? "\(files) of \(Quantity.count(expectedFiles, "file"))" : Quantity.count(files, "file"))
    }
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

  /// In seconds, by the bytes where it is known how many there are going to be, or else by the files. The first two seconds
  /// tell too little.
  private var left: UInt64? {
    if seconds <= 2 { return nil }
    let share = expected > 0 ? Double(bytes) / Double(expected) : Double(files) / Double(max(expectedFiles, 1))
    guard share > 0, share < 1 else { return nil }
    return UInt64(exactly: (seconds / share - seconds).rounded())
  }

  private var word: String {
    phase == .collectingGarbage ? "collecting garbage" : "\(phase)"
  }
}
