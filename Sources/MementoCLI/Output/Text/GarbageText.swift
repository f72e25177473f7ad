// The lines of gc: what it frees, which snapshots it drops, which it keeps until when, and what keeps the space when there is
// nothing to free.

import MementoKit

enum GarbageText {
  /// Above this number of names, a line has only the first and the last.
  private static let namesListed = 3
  /// From this number of names on, a line also has their number.
  private static let namesCounted = 6

  static func lines(_ summary: GarbageSummary, form: TextForm) -> [String] {
    [total(summary)] + versions(summary) + dropped(summary, form: form) + held(summary, form: form) + obstacles(summary)
  }

  // MARK: Bytes

  /// For example `freed 1.2 MiB: 3 packs removed, 1 rewritten, 9 blobs dropped; 5.0 MiB kept`.
  static func total(_ summary: GarbageSummary) -> String {
    let kept = "\(Quantity.bytes(summary.bytesKept)) \(summary.isCommitted ? "kept" : "would be kept")"
    if summary.packsRemoved == 0 && summary.packsRewritten == 0 && summary.bytesFreed == 0 {
      return "nothing to free; \(kept)\(keepers(summary))"
    }
    let verb = summary.isCommitted ? "freed" : "would free"
    let threshold =
      summary.isCommitted || summary.packsRewritten == 0
      ? "" : " (each with \(summary.rewriteThreshold)% or more that \(whyRewritten(summary)), or small)"
    return "\(verb) \(Quantity.bytes(summary.bytesFreed)): \(Quantity.count(summary.packsRemoved, "pack")) removed, "
      + "\(summary.packsRewritten) rewritten\(threshold), \(Quantity.count(summary.blobsRemoved, "blob")) dropped; \(kept)"
  }

  private static func whyRewritten(_ summary: GarbageSummary) -> String {
    summary.versionsSorted == 0 ? "is not needed" : "is not needed, or only by older snapshots"
  }

  /// For example `: 3.0 MiB by names and the position, 1.5 MiB by unnamed snapshots, 512 B by the trash`.
  private static func keepers(_ summary: GarbageSummary) -> String {
    let space = summary.space
    let parts = [
      (space.named, "by names and the position"), (space.unnamed, "by unnamed snapshots"),
      (space.trash, "by the trash"),
      (space.unneeded, "in packs of which less than \(summary.rewriteThreshold)% is not needed"),
    ].filter { $0.0 > 0 }.map { "\(Quantity.bytes($0.0)) \($0.1)" }
    return parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
  }

  /// For example `put 2553 versions that only older snapshots need side by side`.
  private static func versions(_ summary: GarbageSummary) -> [String] {
    if summary.versionsSorted == 0 { return [] }
    let verb = summary.isCommitted ? "put" : "would put"
    return ["\(verb) \(Quantity.count(summary.versionsSorted, "version")) that only older snapshots need side by side"]
  }

  private static func obstacles(_ summary: GarbageSummary) -> [String] {
    var lines: [String] = []
    if summary.packsNotRewritten > 0 {
      lines.append("\(Quantity.count(summary.packsNotRewritten, "pack")) not rewritten: the disk is full")
    }
    if summary.packsPostponed > 0 {
      lines.append(
        "\(Quantity.count(summary.packsPostponed, "pack")) not rewritten: the time was over; the next gc goes on")
    }
    if let budget = summary.budget, summary.bytesKept > budget {
      lines.append(
        "more than \(Quantity.bytes(budget)): named states and the position are never dropped")
    }
    return lines
  }

  // MARK: Snapshots

  /// For example `dropped v: deleted 15d ago, 1.2 KiB` or `dropped 41 unnamed snapshots older than 30d, 312.0 MiB`.
  private static func dropped(_ summary: GarbageSummary, form: TextForm) -> [String] {
    let drop = summary.isCommitted ? "dropped" : "would drop"
    var groups = Groups()
    for snapshot in summary.dropped {
      groups.add(
        name(snapshot.names, snapshot.id), "", reason(snapshot.reason, snapshot.age),
        isUnnamed: snapshot.reason.isUnnamed,
        bytes: snapshot.bytes)
    }
    var lines = groups.all.map { group in
      let size = group.bytes.map { ", \(Quantity.bytes($0))" } ?? ""
      if !group.isUnnamed { return "\(drop) \(names(group.names, form)): \(group.reason)\(size)" }
      let why =
        group.reason == "\(LossReason.overBudget)"
        ? "to stay within \(Quantity.bytes(summary.budget ?? 0))" : "older than \(Quantity.age(summary.unnamedAge))"
      return "\(drop) \(Quantity.count(group.names.count, "unnamed snapshot")) \(why)\(size)"
    }
    if summary.stepsDropped > 0 {
      lines.append("\(drop) the \(Quantity.count(summary.stepsDropped, "oldest step")) of the timeline, for undo")
    }
    return lines
  }

  /// For example `kept big1 … big5 until 2026-12-05: deleted 2h ago, 14.3 MiB`.
  private static func held(_ summary: GarbageSummary, form: TextForm) -> [String] {
    let keep = summary.isCommitted ? "kept" : "would keep"
    var groups = Groups()
    for snapshot in summary.held {
      let isUnnamed = snapshot.reason.isUnnamed
      let damage = snapshot.isWhole ? "" : ", damaged"
      groups.add(
        name(snapshot.names, snapshot.id), isUnnamed ? "" : snapshot.until.map(form.day) ?? "",
        (isUnnamed ? "\(snapshot.reason)" : reason(snapshot.reason, snapshot.age)) + damage, isUnnamed: isUnnamed,
        bytes: snapshot.bytes)
    }
    return groups.all.map { group in
      let size = Quantity.bytes(group.bytes ?? 0)
      if group.isUnnamed {
        let damage = group.reason.dropFirst("\(LossReason.unnamed)".count)
        return
          "\(keep) \(Quantity.count(group.names.count, "unnamed snapshot")) older than the timeline\(damage), \(size)"
      }
      return "\(keep) \(names(group.names, form)) until \(group.day): \(group.reason), \(size)"
    }
  }

  private static func name(_ names: [String], _ id: SnapshotID) -> String {
    names.first.map { TerminalText.escaped($0) } ?? id.short
  }

  private static func reason(_ reason: LossReason, _ age: UInt64?) -> String {
    if reason.isUnnamed { return "\(reason)" }
    guard let age else { return "no name or step refers to it" }
    return "\(reason) \(Quantity.age(age)) ago"
  }

  /// The names of a group. `names` has the newest first; a line has it last.
  private static func names(_ names: [String], _ form: TextForm) -> String {
    let names = Array(names.reversed())
    if names.count <= namesListed { return names.joined(separator: ", ") }
    let count = names.count < namesCounted ? "" : " (\(names.count))"
    return "\(names[0]) \(form.ellipsis) \(names[names.count - 1])\(count)"
  }
}

extension LossReason {
  /// Whether a line counts such snapshots, and does not name them.
  fileprivate var isUnnamed: Bool { self == .unnamed || self == .overBudget }
}

/// Snapshots with the same reason and the same day, in the order in which each group began.
private struct Groups {
  struct Group {
    var names: [String]
    var day: String
    var reason: String
    var isUnnamed: Bool
    /// Nil when it is not known of any of them.
    var bytes: UInt64?
  }

  private(set) var all: [Group] = []

  mutating func add(_ name: String, _ day: String, _ reason: String, isUnnamed: Bool, bytes: UInt64?) {
    if let index = all.firstIndex(where: { $0.day == day && $0.reason == reason }) {
      all[index].names.append(name)
      if let bytes { all[index].bytes = (all[index].bytes ?? 0) + bytes }
    } else {
      all.append(Group(names: [name], day: day, reason: reason, isUnnamed: isUnnamed, bytes: bytes))
    }
  }
}
