// Values to print.

@testable import MementoKit

enum Sample {
  static let id = id("3f2a")
  static let otherID = id("bbbb")
  /// 2026-06-01T12:00:05.000000007Z
  static let time = SnapshotTime(seconds: 1_780_315_205, nanoseconds: 7)

  static func id(_ prefix: String) -> SnapshotID {
    guard let id = SnapshotID(hex: prefix + String(repeating: "0", count: 64 - prefix.count)) else {
      fatalError("\(prefix) is not hexadecimal")
    }
    return id
  }

  static func snapshot(
    name: String? = "before-upgrade", message: String? = nil, kind: SnapshotKind = .tree, files: Int = 12,
    bytes: UInt64 = 3_400_000, isComplete: Bool = true
  ) -> Snapshot {
    Snapshot(
      id: id, parent: nil, kind: kind, name: name, message: message, time: time, user: "ada", host: "box", files: files,
      bytes: bytes, changes: ChangeCounts(added: 3, modified: 2, removed: 1), isComplete: isComplete)
  }

  static func save(
    _ snapshot: Snapshot = snapshot(), replaced: SnapshotID? = nil,
    changes: ChangeCounts = ChangeCounts(added: 3, modified: 2, removed: 1), problems: [Problem] = [],
    isCommitted: Bool = true
  ) -> SaveSummary {
    SaveSummary(
      snapshot: snapshot, replaced: replaced, changes: changes, bytesRead: 2048, bytesStored: 1_258_291,
      problems: problems, isCommitted: isCommitted)
  }

  static func restore(
    guard saved: Snapshot? = nil, created: Int = 3, replaced: Int = 0, removed: Int = 1, metadata: Int = 0,
    rescued: [BytePath] = [], plan: [PlannedChange] = [], isCommitted: Bool = true
  ) -> RestoreSummary {
    RestoreSummary(
      snapshot: snapshot(), guard: saved, created: created, replaced: replaced, removed: removed, metadata: metadata,
      bytesWritten: 4096, rescued: rescued, problems: [], plan: plan, isCommitted: isCommitted)
  }
}
