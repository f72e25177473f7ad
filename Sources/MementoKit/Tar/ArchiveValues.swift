// What callers say of archives, and what they are told.

/// How an archive is compressed. New forms may be added: a `switch` over forms needs a `default`.
public struct ArchiveCompression: Hashable, Sendable, CustomStringConvertible {
  enum Kind: String {
    case none
    case gzip
    case zstd
  }

  let kind: Kind

  private init(_ kind: Kind) {
    self.kind = kind
  }

  /// The form as a word, for example `gzip`.
  public var description: String { kind.rawValue }

  /// The bytes of tar themselves.
  public static let none = ArchiveCompression(.none)
  /// As gzip(1) compresses.
  public static let gzip = ArchiveCompression(.gzip)
  /// As zstd(1) compresses.
  public static let zstd = ArchiveCompression(.zstd)

  /// The form that the ending of a file name stands for: `.gz` and `.tgz`, `.zst` and `.tzst`, and none for all others.
  public init(fileName: BytePath) {
    let name = fileName.bytes
    func ends(_ ending: String) -> Bool { name.suffix(ending.utf8.count).elementsEqual(ending.utf8) }
    if ends(".gz") || ends(".tgz") {
      self = .gzip
    } else if ends(".zst") || ends(".tzst") {
      self = .zstd
    } else {
      self = .none
    }
  }
}

/// What `export` wrote.
public struct ExportSummary: Equatable, Sendable {
  /// The snapshot that was written.
  public var snapshot: Snapshot
  /// Entries of the archive, with the folder itself.
  public var entries: Int
  /// Bytes of content in it, without holes.
  public var bytes: UInt64
  /// Bytes that were written, compressed.
  public var bytesWritten: UInt64
  /// How it is compressed.
  public var compression: ArchiveCompression
}
