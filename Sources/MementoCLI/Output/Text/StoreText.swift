// The lines of the commands verify, delete and rename.

import MementoKit

enum StoreText {
  /// For example `checked 3 packs, 120 blobs and 4 snapshots, every byte of 1.2 GiB: no damage`.
  static func verified(_ report: VerifyReport, options: VerifyOptions) -> String {
    let read = Quantity.bytes(report.bytesRead)
    let isWhole = options.readPercent >= 100 && options.notReadSince == nil
    let extent = options.readPercent == 0 ? "" : isWhole ? ", every byte of \(read)" : ", and read \(read) of them"
    let found = report.damage.isEmpty ? "no damage" : damageCount(report.damage.count)
    return "checked \(Quantity.count(report.packs, "pack")), \(Quantity.count(report.blobs, "blob")) and "
      + "\(Quantity.count(report.snapshots, "snapshot"))\(extent): \(found)"
  }

  /// For example `2 packs have no parity, or it is damaged`; nil when all of them have it.
  static func parity(_ report: VerifyReport) -> String? {
    switch report.packsWithoutParity {
    case 0: nil
    case 1: "1 pack has no parity, or it is damaged; \(Advice.missingParity)"
    default: "\(report.packsWithoutParity) packs have no parity, or it is damaged; \(Advice.missingParity)"
    }
  }

  static func damageCount(_ count: Int) -> String {
    count == 1 ? "1 thing is damaged" : "\(count) things are damaged"
  }

  /// What was done with each damaged file of the store, then a line such as `repaired 3 of 4 damaged things`.
  static func repaired(_ repair: RepairSummary) -> [String] {
    var lines: [String] = []
    if repair.parityMade > 0 { lines.append("made the parity of \(Quantity.count(repair.parityMade, "pack"))") }
    if repair.damageBefore == 0 { return lines }
    lines += repair.packsHealed.map { "wrote packs/\($0) anew from its parity" }
    lines += repair.partsPutBack.map(putBack)
    lines += repair.packsSetAside.map { "moved packs/\($0) to damaged/ of the store" }
    if let brought = repair.fromRemotes, brought.blobs > 0 {
      lines.append(
        "brought \(Quantity.count(brought.blobs, "blob")) from "
          + brought.remotes.map { TerminalText.escaped($0) }.joined(separator: ", "))
    }
    let repaired = max(repair.damageBefore - repair.report.damage.count, 0)
    let all = repair.damageBefore == 1 ? "1 damaged thing" : "\(repair.damageBefore) damaged things"
    return lines + ["repaired \(repaired) of \(all)"]
  }

  private static func putBack(_ part: RepairedPart) -> String {
    switch part.source {
    case .backup: "put back \(part.path) from its second copy"
    case .previous: "the names were damaged; they are now what they were before the last command"
    case .standard: "made \(part.path) anew with the standard values; what else it said is lost, such as rules"
    default: "\(part.path) was missing or no longer what it should be; it is there again, empty"
    }
  }

  /// The largest number of damaged snapshots without a name in a line. Names of states are always all listed.
  private static let snapshotsShown = 5

  /// `PATH: MESSAGE (in the states a, b)`. Several paths of the same states have a line each, followed by one line ` in
  /// the states a, b`.
  static func damage(_ damage: [VerifyReport.Damage]) -> [String] {
    var lines: [String] = []
    var group = 0
    for (index, hurt) in damage.enumerated() {
      let path = hurt.path.map { TerminalText.escaped($0) + ": " } ?? ""
      lines.append(path + TerminalText.escaped(hurt.message))
      group += 1
      let next = index + 1 < damage.count ? damage[index + 1] : nil
      if next?.states == hurt.states, next?.snapshots == hurt.snapshots { continue }
      if let places = places(hurt) {
        if group == 1 { lines[lines.count - 1] += " (in \(places))" } else { lines.append("  in \(places)") }
      }
      group = 0
    }
    return lines
  }

  /// For example `the states a, b and the snapshot ID`. nil when the damage is in no snapshot.
  private static func places(_ damage: VerifyReport.Damage) -> String? {
    var parts: [String] = []
    if !damage.states.isEmpty {
      let names = damage.states.map(TerminalText.escaped).joined(separator: ", ")
      parts.append("the \(damage.states.count == 1 ? "state" : "states") \(names)")
    }
    if !damage.snapshots.isEmpty {
      var ids = damage.snapshots.prefix(snapshotsShown).map(\.short).joined(separator: ", ")
      if damage.snapshots.count > snapshotsShown { ids += " and \(damage.snapshots.count - snapshotsShown) more" }
      parts.append("the \(damage.snapshots.count == 1 ? "snapshot" : "snapshots") \(ids)")
    }
    return parts.isEmpty ? nil : parts.joined(separator: " and ")
  }

  /// For example `deleted NAME (was ID); name it again with: memento save NAME --from ID`.
  static func deleted(_ state: DeletedState, isDryRun: Bool, form: TextForm) -> String {
    deleted(state.name, state.snapshot, isDryRun: isDryRun, form: form)
  }

  private static func deleted(_ name: String, _ snapshot: SnapshotID, isDryRun: Bool, form: TextForm) -> String {
    let shown = form.name(name)
    if isDryRun { return "would delete \(shown) (is \(form.paintedID(snapshot)))" }
    let word = ShellWord.quoted(TerminalText.escaped(name))
    return "deleted \(shown) (was \(form.paintedID(snapshot))); "
      + "name it again with: memento save \(word) --from \(snapshot.short)"
  }

  /// For example `deleted origin/NAME (was ID)`.
  static func deletedFromRemote(_ state: DeletedState, isDryRun: Bool, form: TextForm) -> String {
    let id = form.paintedID(state.snapshot)
    return isDryRun
      ? "would delete \(form.name(state.name)) (is \(id))" : "deleted \(form.name(state.name)) (was \(id))"
  }

  /// A line for each state, then what was freed: `purged NAME (was ID)`. A state that something else keeps says what.
  static func purged(_ summary: PurgeSummary, form: TextForm) -> [String] {
    let isDone = summary.garbage != nil
    var lines = summary.deleted.map { state in
      let start = isDone ? "purged \(form.name(state.name)) (was " : "would purge \(form.name(state.name)) (is "
      let others = state.otherNames.map { form.name($0) }.joined(separator: ", ")
      var kept = ""
      if state.isCurrent { kept = "; the folder is at it, which keeps it" }
      if !others.isEmpty { kept = "; \(others) is the same snapshot and keeps it" }
      return start + "\(form.paintedID(state.snapshot)))" + kept
    }
    let steps =
      summary.stepsRemoved == 0 ? "" : ", \(Quantity.count(summary.stepsRemoved, "step")) of the history removed"
    if let garbage = summary.garbage {
      // On a full disk the list of the trash cannot be written anew.
      for held in garbage.held where summary.deleted.contains(where: { $0.snapshot == held.id }) {
        let until = held.until.map { " until \(form.day($0))" } ?? ""
        lines.append("\(form.paintedID(held.id)) stays in the trash\(until)")
      }
      lines.append(GarbageText.total(garbage) + steps)
    } else {
      lines.append("would free about \(Quantity.bytes(summary.bytesFreed))\(steps)")
    }
    return lines
  }

  /// A line such as `renamed OLD to NEW ID`. If NEW was in use, a line before it says how to name that snapshot again.
  static func renamed(_ state: RenamedState, isDryRun: Bool, form: TextForm) -> [String] {
    let lost = state.replaced.map { deleted(state.newName, $0, isDryRun: isDryRun, form: form) }
    let verb = isDryRun ? "would rename" : "renamed"
    let line = "\(verb) \(form.name(state.oldName)) to \(form.name(state.newName)) \(form.paintedID(state.snapshot))"
    return [lost, line].compactMap { $0 }
  }

  static func described(_ noted: NotedSnapshot, isDryRun: Bool, form: TextForm) -> String {
    let id = form.paintedID(noted.snapshot)
    guard noted.note != nil else {
      return noted.replaced == nil ? "\(id) has no note" : "\(id): \(isDryRun ? "would remove" : "removed") its note"
    }
    return noted.replaced == nil || noted.replaced == noted.note
      ? "\(id): \(isDryRun ? "would note" : "noted")"
      : "\(id): \(isDryRun ? "would note" : "noted"), in the place of: "
        + form.firstLine(noted.replaced ?? "")
  }
}
