// The lines of gc about snapshots without a name and without a step: which of them it drops, and which it keeps until
// when.

import MementoKit

enum TrashText {
  /// Above this number of names, a line has only the first and the last.
  private static let namesListed = 3
  /// From this number of names on, a line also has their number.
  private static let namesCounted = 6

  /// For example `dropped v: deleted 15d ago` or `kept big1 … big5 until 2026-12-05: deleted 2h ago, 14.3 MiB`.
  static func lines(_ summary: GarbageSummary, form: TextForm) -> [String] {
    let drop = summary.isCommitted ? "dropped" : "would drop"
    let keep = summary.isCommitted ? "kept" : "would keep"
    var groups = Groups()
    for snapshot in summary.dropped {
      groups.add(name(snapshot.names, snapshot.id), "", reason(snapshot.reason, snapshot.age), bytes: nil)
    }
    var lines = groups.all.map { "\(drop) \(names($0.names)): \($0.reason)" }
    groups = Groups()
    for snapshot in summary.held {
      let reason = reason(snapshot.reason, snapshot.age) + (snapshot.isWhole ? "" : ", damaged")
      groups.add(name(snapshot.names, snapshot.id), form.day(snapshot.until), reason, bytes: snapshot.bytes)
    }
    lines += groups.all.map { group in
      "\(keep) \(names(group.names)) until \(group.day): \(group.reason), \(Quantity.bytes(group.bytes))"
    }
    return lines
  }

  private static func name(_ names: [String], _ id: SnapshotID) -> String {
    names.first.map { TerminalText.escaped($0) } ?? id.short
  }

  private static func reason(_ reason: LossReason, _ age: UInt64?) -> String {
    guard let age else { return "no name or step refers to it" }
    return "\(reason) \(Quantity.age(age)) ago"
  }

  /// The names of a group. `names` has the newest first; a line has it last.
  private static func names(_ names: [String]) -> String {
    let names = Array(names.reversed())
    if names.count <= namesListed { return names.joined(separator: ", ") }
    let count = names.count < namesCounted ? "" : " (\(names.count))"
    return "\(names[0]) … \(names[names.count - 1])\(count)"
  }
}

/// Snapshots with the same reason and the same day, in the order in which each group began.
private struct Groups {
  struct Group {
    var names: [String]
    var day: String
    var reason: String
    var bytes: UInt64
  }

  private(set) var all: [Group] = []

  mutating func add(_ name: String, _ day: String, _ reason: String, bytes: UInt64?) {
    if let index = all.firstIndex(where: { $0.day == day && $0.reason == reason }) {
      all[index].names.append(name)
      all[index].bytes += bytes ?? 0
    } else {
      all.append(Group(names: [name], day: day, reason: reason, bytes: bytes ?? 0))
    }
  }
}
