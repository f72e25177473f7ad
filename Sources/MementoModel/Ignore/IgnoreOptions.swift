// Options for what a command leaves out, in addition to the rules of the folder and the store.

/// What a command leaves out of the folder, in addition to the rule files and the config.
public struct IgnoreOptions: Equatable, Sendable {
  /// A file of patterns, already read.
  public struct PatternFile: Equatable, Sendable {
    /// Its name in messages.
    public var name: BytePath
    /// Its content.
    public var bytes: [UInt8]

    /// A file that was read already.
    public init(name: BytePath, bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }
  }

  /// The patterns as given, relative to the folder.
  public var patterns: [[UInt8]] = []
  /// Files of patterns. A later file has priority over an earlier one, and `patterns` over all of them.
  public var files: [PatternFile] = []
  /// Whether `.gitignore` is read, too.
  public var readsGitignore = false
  /// Whether the content of folders with a CACHEDIR.TAG is left out.
  public var excludesCaches = false
  /// Files of more bytes than this are left out.
  public var largestFile: UInt64?
  /// Whether other file systems that are mounted in the folder are entered.
  public var crossesMounts = false

  /// Options that leave nothing out.
  public init() {}

  /// The number of bytes of a size such as `500k`, `20M` or `1.5G`; the letters stand for powers of 1024. Nil for any
  /// other text.
  public static func bytes(ofSize text: String) -> UInt64? { SizeText.bytes(text) }
}

/// Why a name is ignored or included. One of the properties is not nil. More kinds of reasons may be added.
public struct IgnoreReason: Equatable, Sendable {
  /// The rule that decides. A rule with `!` includes the name.
  public private(set) var rule: IgnoreRule?
  /// The folder above the name that a tag marks as a cache.
  public private(set) var cache: BytePath?
  /// The size in bytes that the file exceeds.
  public private(set) var size: UInt64?

  /// Whether the name is ignored. False only for a rule with `!`.
  public var isIgnoring: Bool { rule?.isNegated != true }

  package static func rule(_ rule: IgnoreRule) -> IgnoreReason {
    var reason = IgnoreReason()
    reason.rule = rule
    return reason
  }

  package static func cache(_ folder: BytePath) -> IgnoreReason {
    var reason = IgnoreReason()
    reason.cache = folder
    return reason
  }

  package static func size(_ limit: UInt64) -> IgnoreReason {
    var reason = IgnoreReason()
    reason.size = limit
    return reason
  }
}
