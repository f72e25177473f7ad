// What a save finds that the one before did not, when it is so much that somebody may not have meant it.

/// An unusually large part of a folder that no save has recorded before.
public struct FolderGrowth: Equatable, Sendable {
  /// A folder, and by how much it has grown at any depth.
  public struct Part: Equatable, Sendable {
    /// Relative to the folder that is saved.
    public var path: BytePath
    /// Whether only the files right in the folder count, and not those in its folders.
    public var isAlone = false
    /// How many more regular files it has.
    public var files: Int
    /// How many more bytes these have.
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
  /// The bytes that are free on the disk of the store; nil where that cannot be known.
  public var free: UInt64?
  /// The folders that have grown the most, the largest first; none where all lies in one folder.
  public var largest: [Part]
}

/// How much a save may find that the one before did not, before it asks: `max-new-files` and `max-new-size` of the config.
struct GrowthLimits: Equatable, Sendable {
  /// Nil for no limit.
  var files: Int? = 100_000
  /// In bytes; nil for no limit.
  var bytes: UInt64? = 10 << 30

  static let standard = GrowthLimits()
  /// Content takes less in the store than in the folder: half of it as a rule.
  private static let usualRatio: UInt64 = 2
  /// So many bytes more are no reason to ask: on a full disk the save fails by itself, with nothing lost.
  private static let little: UInt64 = 64 << 20

  /// The same, but no more than the disk of the store may hold. `free`: the bytes that are free there.
  func within(_ free: UInt64?) -> GrowthLimits {
    guard let free else { return self }
    let (room, overflow) = free.multipliedReportingOverflow(by: GrowthLimits.usualRatio)
    return overflow ? self : GrowthLimits(files: files, bytes: min(bytes ?? .max, max(room, GrowthLimits.little)))
  }

  /// How the limits stand in a config.
  static let standardTexts = (files: "100000", bytes: "10G")
}
