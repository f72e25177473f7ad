// The text of the progress line. It needs no terminal, so that it can be tested.

import MementoKit

struct ProgressLine: Equatable {
  var phase: Phase
  var files: Int
  var bytes: UInt64
  var seconds: Double

  /// The line, for example `saving 1234 files 1.2 GiB 210.0 MiB/s`, cut to fit into `width` columns.
  func text(width: Int) -> String {
    var parts = [word]
    if files > 0 { parts.append(Quantity.count(files, "file")) }
    if bytes > 0 {
      parts.append(Quantity.bytes(bytes))
      if seconds > 0.2 { parts.append(Quantity.bytes(rate) + "/s") }
    }
    // One column stays free: some terminals wrap a full line, and then it cannot be erased.
    return String(parts.joined(separator: "  ").prefix(max(0, width - 1)))
  }

  private var rate: UInt64 {
    UInt64(exactly: (Double(bytes) / seconds).rounded()) ?? 0
  }

  private var word: String {
    phase == .collectingGarbage ? "collecting garbage" : "\(phase)"
  }
}
