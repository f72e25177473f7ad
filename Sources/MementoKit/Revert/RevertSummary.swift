// What a revert takes, and what it tells.

/// What `revert` takes back, and how.
public struct RevertOptions: Sendable {
  /// Only these files and folders, relative to the folder; all when empty.
  public var paths: [BytePath] = []
  /// Also what these select. With exclusions alone: everything else.
  public var pathspecs: [Pathspec] = []
  /// Plans the revert and changes nothing.
  public var isDryRun = false
  /// Lets root restore owners, setuid bits and devices; see `RestoreOptions`.
  public var asRecorded = false

  /// Makes options with the defaults.
  public init() {}
}

/// A path at which a change could not be taken back as a whole, because a later one concerns the same place.
public struct RevertConflict: Equatable, Sendable {
  /// The kinds of conflict. New kinds may be added: a `switch` over kinds needs a `default`.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    private enum Word: String {
      case lines
      case content
      case type
      case metadata
      case removed
      case present
    }

    private let word: Word

    private init(_ word: Word) {
      self.word = word
    }

    /// The kind as a word.
    public var description: String { word.rawValue }

    /// The same lines were changed later. The file has both, between marks.
    public static let lines = Kind(.lines)
    /// The content was changed later, and is not text. The present file stays.
    public static let content = Kind(.content)
    /// It is something else now: a link, a folder. It stays.
    public static let type = Kind(.type)
    /// The mode, the owner or the attributes were changed later. The present ones stay.
    public static let metadata = Kind(.metadata)
    /// It was removed later, and stays removed.
    public static let removed = Kind(.removed)
    /// The change to take back made or removed it, and there is another one now. That stays.
    public static let present = Kind(.present)
  }

  /// Relative to the folder.
  public let path: BytePath
  /// What is in the way.
  public let kind: Kind
  /// How many pieces of the file are marked; 0 unless `kind` is `.lines`.
  public let marks: Int

  init(_ path: BytePath, _ kind: Kind, marks: Int = 0) {
    self.path = path
    self.kind = kind
    self.marks = marks
  }
}

/// What a revert did, or would do if `isCommitted` of `restore` is false.
public struct RevertSummary: Equatable, Sendable {
  /// The snapshot before the changes that were taken back.
  public var from: Snapshot
  /// The snapshot with these changes.
  public var to: Snapshot
  /// What was done in the folder. Its snapshot is the position afterwards.
  public var restore: RestoreSummary
  /// The files in which the change was taken back and later work was kept, without a conflict.
  public var merged: [BytePath]
  /// Where later work is in the way, sorted by path.
  public var conflicts: [RevertConflict]
}
