// What is left out, as it is asked for: by a command, beside what the folder and the store say themselves.

/// What one command leaves out of the folder, beside what rule files and the config say.
public struct IgnoreOptions: Equatable, Sendable {
  /// A file of patterns, already read.
  public struct PatternFile: Equatable, Sendable {
    /// How it is called in messages.
    public var name: BytePath
    /// Its content.
    public var bytes: [UInt8]

    /// A file that was read already.
    public init(name: BytePath, bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }
  }

  /// Patterns as they were given; they are relative to the folder.
  public var patterns: [[UInt8]] = []
  /// Files of patterns; the last one has the first word.
  public var files: [PatternFile] = []
  /// Also reads `.gitignore`.
  public var readsGitignore = false
  /// Leaves out what is in folders that a CACHEDIR.TAG marks as caches.
  public var excludesCaches = false
  /// Leaves out larger files, bytes.
  public var largestFile: UInt64?
  /// Enters other file systems that are mounted in the folder.
  public var crossesMounts = false

  /// Leaves nothing out by itself.
  public init() {}

  /// Bytes of a size as people write it: `500k`, `20M`, `1.5G`, the letters being powers of 1024; nil for anything else.
  public static func bytes(ofSize text: String) -> UInt64? { SizeText.bytes(text) }
}

/// What decides whether a name is left out. One of the facts is there; more kinds of them may be added.
public struct IgnoreReason: Equatable, Sendable {
  /// The rule that decides; with `!` it takes the name back in.
  public private(set) var rule: IgnoreRule?
  /// The folder above the name that is tagged as a cache.
  public private(set) var cache: BytePath?
  /// The size that the file exceeds, bytes.
  public private(set) var size: UInt64?

  /// Whether it leaves the name out; a rule with `!` does the opposite.
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
