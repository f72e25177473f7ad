// What separates the folder from a snapshot, piece by piece, so that a program can let its user choose what to restore.

internal import MementoStore
internal import MementoSystem

/// Which part of a snapshot is compared with the folder, for a restore that chooses piece by piece.
public struct PatchOptions: Sendable {
  /// Only these files and folders, relative to the folder; all when empty.
  public var paths: [BytePath] = []
  /// Also what these select. With exclusions alone: everything else.
  public var pathspecs: [Pathspec] = []

  /// Makes options with the defaults.
  public init() {}
}

/// What would make the folder like a snapshot. It holds no lock, so the folder may change while a user chooses;
/// `Repository.restore(_:_:isDryRun:asRecorded:monitor:)` leaves alone what has changed meanwhile.
///
/// The older side of each change is the folder, and the newer side is the snapshot. A folder in which something is created
/// or removed is no change of its own, and no time alone is one. What an ignore rule hides, what the config protects, and
/// what the snapshot or the walk could not read is left out.
public struct RestorePatch: Sendable {
  /// The snapshot.
  public let snapshot: Snapshot
  /// The entries that differ, sorted by path.
  public let changes: [FileChange]
  /// The paths of the folder that could not be read.
  public let problems: [Problem]

  let repository: Repository
}

extension RestorePatch {
  /// Compares the content of a file in the folder with that in the snapshot. The hunks of the result's `text` turn the first
  /// into the second. Throws `.damaged` when the stored content cannot be read.
  public func content(of change: FileChange) throws(RepositoryError) -> ContentDiff {
    if Comparison.isSame(change.old, change.new) { return .same }
    guard max(change.old?.size ?? 0, change.new?.size ?? 0) <= Comparison.largestText else { return .tooLarge }
    var present = change.old?.target ?? []
    if change.old?.type == .file {
      let root = try repository.root
      do throws(Errno) {
        present = try FolderFile(root).contents(of: change.path, limit: Int(Comparison.largestText))
      } catch {
        return error == .rangeError ? .tooLarge : .unreadable("cannot be read: \(error)")
      }
    }
    var wanted = change.new?.target ?? []
    if let entry = change.new, let content = entry.content {
      var reader = ContentReader(SizedContent(size: entry.size, content: content), path: change.path, in: repository)
      wanted = try reader.contents(limit: Int(Comparison.largestText))
    }
    if Comparison.isBinary(present) || Comparison.isBinary(wanted) { return .binary }
    return TextDiff(old: present, new: wanted).map { .text($0) } ?? .tooLarge
  }
}

extension FileChange {
  /// Whether the mode, the owner or the extended attributes of what stays a file or folder differ.
  public var changesMetadata: Bool {
    guard let old, let new, old.type == new.type else { return false }
    return !old.isSameMetadata(as: new)
  }
}

extension FileEntry {
  /// Whether everything but the time, the content and what depends on it is the same.
  func isSameMetadata(as other: FileEntry) -> Bool {
    permissions == other.permissions && user == other.user && group == other.group && attributes == other.attributes
  }

  /// Whether everything but the time is the same.
  func isSame(butForTimeAs other: FileEntry) -> Bool {
    var other = other
    other.modified = modified
    return self == other
  }
}

/// What a user has chosen of one change of a `RestorePatch`.
public struct PatchChoice: Sendable {
  enum Part: Sendable {
    case whole
    case metadata
    /// `base` is the text that the user has seen; `result` is nil when all hunks were chosen.
    case text(base: [UInt8], result: [UInt8]?, withMetadata: Bool)
  }

  let change: FileChange
  let part: Part

  /// The path, relative to the folder.
  public var path: BytePath { change.path }

  /// The whole change: afterwards the path is exactly what it is in the snapshot.
  public static func whole(_ change: FileChange) -> PatchChoice {
    PatchChoice(change: change, part: .whole)
  }

  /// Only mode, owner and extended attributes.
  public static func metadata(of change: FileChange) -> PatchChoice {
    PatchChoice(change: change, part: .metadata)
  }

  /// Some hunks of the content, which `RestorePatch.content(of:)` gave, or pieces of them; see `TextDiff.split`. Throws
  /// `.invalidArgument` when two hunks have a change in common, or a hunk is not of this content. `edited`: hunks that the
  /// user has changed; see `TextDiff.edit`.
  public static func hunks(
    _ hunks: [TextDiff.Hunk], edited: [TextDiff.HunkEdit] = [], of text: TextDiff, in change: FileChange,
    withMetadata: Bool = false
  ) throws(RepositoryError) -> PatchChoice {
    guard let result = text.text(applying: hunks, edited: edited) else {
      throw RepositoryError(.invalidArgument, "hunks that do not fit together", path: change.path)
    }
    return PatchChoice(
      change: change,
      part: .text(
        base: text.oldText, result: edited.isEmpty && text.isEverything(hunks) ? nil : result,
        withMetadata: withMetadata))
  }
}

/// What a restore of chosen pieces did, or would do if `isCommitted` of `restore` is false.
public struct PatchSummary: Equatable, Sendable {
  /// The snapshot from which the pieces came.
  public var from: Snapshot
  /// What was done in the folder. Its snapshot is the position afterwards.
  public var restore: RestoreSummary
  /// The chosen paths that were left alone, because they are not what they were when they were compared. Sorted.
  public var changed: [BytePath]
}
