// How blocks are compressed: the setting in `config`, and the byte in a block record.

/// The codec of one block.
package enum Codec: UInt8, Sendable, CaseIterable {
  case stored = 0
  /// RFC 1950.
  case zlib = 1
  /// RFC 8878, one frame.
  case zstd = 2
}

/// The compression of new blocks. Existing blocks keep theirs.
package enum Compression: Equatable, Sendable {
  case none
  /// Level 1...9.
  case zlib(level: Int32)
  /// Level 1...19.
  case zstd(level: Int32)

  package static let standard = Compression.zstd(level: 1)

  /// How gc compresses what it writes anew. Level 7 unpacks as fast as level 1 and takes a sixth less space.
  package var anew: Compression { atLeast(level: 7) }

  /// How gc compresses blocks with versions side by side. Nil where nothing is gained by that: without compression, and
  /// with zlib, which sees 32 KiB at a time.
  package var ofVersions: Compression? {
    if case .zstd = self { return atLeast(level: 10) }
    return nil
  }

  private func atLeast(level: Int32) -> Compression {
    if case .zstd(let own) = self { return .zstd(level: max(own, level)) }
    return self
  }

  /// Reads `none`, `zlib[:LEVEL]` or `zstd[:LEVEL]`. Nil for any other text.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let level = parts.count == 2 ? Int32(parts[1]) : nil
    guard parts.count == 1 || (parts.count == 2 && level != nil) else { return nil }
    switch (parts[0], level) {
    case ("none", nil): self = .none
    case ("zlib", let level): self = .zlib(level: level ?? 6)
    case ("zstd", let level): self = .zstd(level: level ?? 1)
    default: return nil
    }
    guard isInRange else { return nil }
  }

  private var isInRange: Bool {
    switch self {
    case .none: true
    case .zlib(let level): (1...9).contains(level)
    case .zstd(let level): (1...19).contains(level)
    }
  }
}

extension Compression: CustomStringConvertible {
  package var description: String {
    switch self {
    case .none: "none"
    case .zlib(let level): "zlib:\(level)"
    case .zstd(let level): "zstd:\(level)"
    }
  }
}
