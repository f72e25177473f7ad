// What a save finds that the one before did not, when it is so much that somebody may not have meant it.

/// An unusually large part of a folder that no save has recorded before.
public struct FolderGrowth: Equatable, Sendable {
  /// A folder, and what is in it at any depth.
  public struct Part: Equatable, Sendable {
    /// Relative to the folder that is saved.
    public var path: BytePath
    /// The number of its regular files.
    public var files: Int
    /// The sum of their sizes.
    public var bytes: UInt64
  }

  /// The number of regular files that the save would record.
  public var files: Int
  /// The sum of their sizes.
  public var bytes: UInt64
  /// How many more files these are than the snapshot at the position has: all of them where there is none.
  public var newFiles: Int
  /// How many more bytes these are.
  public var newBytes: UInt64
  /// The folders that hold the most, the largest first; none where all lies in one folder.
  public var largest: [Part]
}

/// How much a save may find that the one before did not, before it asks: `max-new-files` and `max-new-size` of the config.
struct GrowthLimits: Equatable, Sendable {
  /// Nil for no limit.
  var files: Int? = 100_000
  /// In bytes; nil for no limit.
  var bytes: UInt64? = 10 << 30

  static let standard = GrowthLimits()
  /// How the limits stand in a config.
  static let standardTexts = (files: "100000", bytes: "10G")
}
