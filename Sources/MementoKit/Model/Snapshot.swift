// A snapshot as callers see it: metadata, and nothing of what is inside.

internal import MementoStore
internal import MementoSystem

/// The id of a snapshot: 64 hex digits.
public struct SnapshotID: Hashable, Sendable, CustomStringConvertible {
  let object: ObjectID

  init(_ object: ObjectID) {
    self.object = object
  }

  /// Reads 64 hex digits; nil for anything else.
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
  public var seconds: Int64
  public var nanoseconds: UInt32

  public init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  init(_ time: Timestamp) {
    self.init(seconds: time.seconds, nanoseconds: time.nanoseconds)
  }

  /// The time of day.
  public static var now: SnapshotTime { SnapshotTime(Clock.now()) }

  var timestamp: Timestamp { Timestamp(seconds: seconds, nanoseconds: nanoseconds) }

  /// UTC with nanoseconds: `2026-06-01T14:00:00.123456789Z`.
  public var rfc3339: String {
    timestamp.rfc3339
  }

  public static func < (left: SnapshotTime, right: SnapshotTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

/// What a snapshot records.
public enum SnapshotKind: String, Sendable {
  /// A folder.
  case tree
  /// A single value.
  case value
}

/// How many files differ between two snapshots.
public struct ChangeCounts: Equatable, Sendable {
  public var added: Int
  public var modified: Int
  public var removed: Int

  public init(added: Int = 0, modified: Int = 0, removed: Int = 0) {
    self.added = added
    self.modified = modified
    self.removed = removed
  }

  public var isEmpty: Bool { added == 0 && modified == 0 && removed == 0 }
}

/// An immutable record of a folder or a value at one time.
public struct Snapshot: Equatable, Sendable {
  public var id: SnapshotID
  /// What the folder was before; of a value, what its name meant before.
  public var parent: SnapshotID?
  public var kind: SnapshotKind
  /// The name it was saved under; nil when it had none.
  public var name: String?
  public var message: String?
  public var time: SnapshotTime
  public var user: String
  public var host: String
  /// Regular files, or 1 for a value.
  public var files: Int
  /// Bytes in these files.
  public var bytes: UInt64
  /// What changed since `parent`.
  public var changes: ChangeCounts
  /// False when some files could not be read: each is listed in the snapshot, and no restore of it touches them.
  public var isComplete: Bool
}
