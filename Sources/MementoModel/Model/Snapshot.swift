// A snapshot as callers of the library see it: its metadata, without its files.

package import MementoTime

/// The id of a snapshot: 64 hex digits.
public struct SnapshotID: Hashable, Sendable, CustomStringConvertible {
  package let object: ObjectID

  package init(_ object: ObjectID) {
    self.object = object
  }

  /// Reads 64 hex digits. Nil for any other text.
  public init?(hex: String) {
    guard let object = ObjectID(hex: hex) else { return nil }
    self.object = object
  }

  /// 64 hex digits, lower case.
  public var description: String { object.description }

  /// The first 12 hex digits, for people.
  public var short: String { object.short }
}

/// A point in time: seconds since 1970 and nanoseconds (0..<1,000,000,000).
public struct SnapshotTime: Hashable, Comparable, Sendable {
  /// Seconds since 1970-01-01 UTC.
  public var seconds: Int64
  /// Nanoseconds of the second: 0..<1,000,000,000.
  public var nanoseconds: UInt32

  /// A point in time.
  public init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  package init(_ time: Timestamp) {
    self.init(seconds: time.seconds, nanoseconds: time.nanoseconds)
  }

  package var timestamp: Timestamp { Timestamp(seconds: seconds, nanoseconds: nanoseconds) }

  /// UTC with nanoseconds: `2026-06-01T14:00:00.123456789Z`.
  public var rfc3339: String {
    timestamp.rfc3339
  }

  /// Whether the left time is earlier.
  public static func < (left: SnapshotTime, right: SnapshotTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

/// What a snapshot records. New kinds may be added, so a `switch` over kinds needs a `default`.
public struct SnapshotKind: Hashable, Sendable, CustomStringConvertible {
  private enum Kind: String {
    case tree
    case value
  }

  private let kind: Kind

  private init(_ kind: Kind) {
    self.kind = kind
  }

  /// The name of the kind: `tree` or `value`.
  public var description: String { kind.rawValue }

  /// A folder.
  public static let tree = SnapshotKind(.tree)
  /// A single value.
  public static let value = SnapshotKind(.value)
}

/// How many entries differ between two snapshots: files, links, fifos and devices. Folders count only through their
/// entries.
public struct ChangeCounts: Equatable, Sendable {
  /// Entries that are new.
  public var added: Int
  /// Entries whose content, mode, owner, time or attributes differ.
  public var modified: Int
  /// Entries that are gone.
  public var removed: Int

  /// Counts of these numbers.
  public init(added: Int = 0, modified: Int = 0, removed: Int = 0) {
    self.added = added
    self.modified = modified
    self.removed = removed
  }

  /// Whether nothing differs.
  public var isEmpty: Bool { added == 0 && modified == 0 && removed == 0 }
}

/// An immutable record of a folder or a value at one time.
public struct Snapshot: Equatable, Sendable {
  /// Its id.
  public var id: SnapshotID
  /// The snapshot of the folder before this one. For a value, the snapshot that its name meant before.
  public var parent: SnapshotID?
  /// A folder or a single value.
  public var kind: SnapshotKind
  /// The name it was saved under; nil when it had none.
  public var name: String?
  /// The message that was given when it was saved.
  public var message: String?
  /// When it was saved.
  public var time: SnapshotTime
  /// The login name of the user who saved it.
  public var user: String
  /// The name of the machine.
  public var host: String
  /// The number of regular files. 1 for a value.
  public var files: Int
  /// The total size of these files in bytes.
  public var bytes: UInt64
  /// What changed since `parent`.
  public var changes: ChangeCounts
  /// False when some files could not be read. The snapshot lists them, and a restore of it does not touch them.
  public var isComplete: Bool

  package init(
    id: SnapshotID, parent: SnapshotID?, kind: SnapshotKind, name: String?, message: String?, time: SnapshotTime,
    user: String, host: String, files: Int, bytes: UInt64, changes: ChangeCounts, isComplete: Bool
  ) {
    self.id = id
    self.parent = parent
    self.kind = kind
    self.name = name
    self.message = message
    self.time = time
    self.user = user
    self.host = host
    self.files = files
    self.bytes = bytes
    self.changes = changes
    self.isComplete = isComplete
  }
}

extension Snapshot {
  /// A placeholder for a snapshot that cannot be read.
  package init(unreadable id: SnapshotID) {
    self.init(
      id: id, parent: nil, kind: .tree, name: nil, message: nil, time: SnapshotTime(seconds: 0, nanoseconds: 0),
      user: "",
      host: "", files: 0, bytes: 0, changes: ChangeCounts(), isComplete: false)
  }
}
