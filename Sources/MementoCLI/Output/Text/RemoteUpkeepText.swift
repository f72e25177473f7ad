// The lines of gc, verify and stats about a remote.

import MementoKit

struct RemoteUpkeepText {
  let form: TextForm

  // MARK: gc

  /// For example `marked 3 packs of origin, 1.2 MiB; a gc after 2026-11-24 02:00:00 +0000 removes what no name needs`.
  func collected(_ summary: RemoteCollectionSummary) -> [String] {
    let remote = form.name(summary.remote)
    let isDone = summary.isCommitted
    var lines: [String] = []
    if summary.removed.packs > 0 {
      lines.append("\(isDone ? "removed" : "would remove") \(packs(summary.removed, of: remote))")
    }
    if summary.marked.packs > 0 {
      lines.append("\(isDone ? "marked" : "would mark") \(packs(summary.marked, of: remote))\(due(summary.marked))")
    }
    if summary.rewritten.packs > 0 { lines.append(rewritten(summary, of: remote)) }
    if summary.waiting.packs > 0 {
      lines.append("marked before: \(packs(summary.waiting, of: remote))\(due(summary.waiting))")
    }
    if summary.young.packs > 0 {
      lines.append(
        "needed by no name, and too new to be marked\(before(summary.young)): \(packs(summary.young, of: remote))")
    }
    if summary.youngSparse.packs > 0 {
      let packs = packs(summary.youngSparse, of: remote)
      lines.append("needed in part, and too new to be rewritten\(before(summary.youngSparse)): \(packs)")
    }
    if summary.kept.packs > 0 {
      lines.append("marked, and kept because names need them: \(packs(summary.kept, of: remote))")
    }
    if summary.indexesReplaced > 0 {
      let indexes = Quantity.count(summary.indexesReplaced, "index", "indexes")
      lines.append("\(isDone ? "replaced" : "would replace") \(indexes) by newer ones")
    }
    if summary.recordsRemoved > 0 {
      let records = Quantity.count(summary.recordsRemoved, "record")
      lines.append("\(isDone ? "removed" : "would remove") \(records) that newer ones replace")
    }
    if !summary.isComplete {
      lines.append("this took so long that not all of it was done; run it again")
    }
    if lines.isEmpty { lines.append("nothing to free on \(remote)") }
    let left = summary.all.bytes - min(summary.removed.bytes, summary.all.bytes)
    lines.append("\(Quantity.bytes(left)) \(isDone ? "kept" : "would be kept") in packs")
    return lines
  }

  /// For example `rewrote 2 packs of origin, 128.0 MiB, of which 3.1 MiB was needed: that is in 1 new pack; a gc after …`.
  private func rewritten(_ summary: RemoteCollectionSummary, of remote: String) -> String {
    let old = packs(summary.rewritten, of: remote)
    let moved = Quantity.bytes(summary.bytesMoved)
    guard summary.isCommitted else {
      return "would rewrite \(old), of which about \(moved) is needed"
        + " (each with \(summary.rewriteThreshold)% or more that no name needs)"
    }
    return "rewrote \(old), of which \(moved) was needed: that is in \(Quantity.count(summary.packsMade, "new pack"))"
      + due(summary.rewritten)
  }

  /// For example ` before 2026-11-24 02:00:00 +0000`.
  private func before(_ count: RemotePackCount) -> String { count.due.map { " before \(form.time($0))" } ?? "" }

  private func packs(_ count: RemotePackCount, of remote: String) -> String {
    "\(Quantity.count(count.packs, "pack")) of \(remote), \(Quantity.bytes(count.bytes))"
  }

  private func due(_ count: RemotePackCount) -> String {
    count.due.map { "; a gc after \(form.time($0)) removes what no name needs" } ?? ""
  }

  // MARK: verify

  /// For example `checked 12 records, 3 packs and 4 snapshots of origin, every byte of 1.2 GiB: no damage`.
  func verified(_ found: RemoteVerifyReport, options: VerifyOptions) -> String {
    let report = found.report
    let read = Quantity.bytes(report.bytesRead)
    let isWhole = options.readPercent >= 100 && options.notReadSince == nil
    let extent = options.readPercent == 0 ? "" : isWhole ? ", every byte of \(read)" : ", and read \(read) of them"
    let replaced =
      found.recordsReplaced == 0
      ? "" : "; \(Quantity.count(found.recordsReplaced, "damaged record")) that newer ones replace"
    let damage = report.damage.isEmpty ? "no damage" : StoreText.damageCount(report.damage.count)
    return "checked \(Quantity.count(found.records, "record")), \(Quantity.count(report.packs, "pack")) and "
      + "\(Quantity.count(report.snapshots, "snapshot")) of \(form.name(found.remote))\(extent): \(damage)\(replaced)"
  }

  /// For example `sent 3 blobs that the remote had lost, 1.2 MiB; 2 of 2 damaged things are whole again`.
  func repaired(_ found: RemoteVerifyReport) -> String? {
    guard let sent = found.sent, sent.damageBefore > 0 else { return nil }
    let left = min(found.report.damage.count, sent.damageBefore)
    let all = sent.damageBefore == 1 ? "1 damaged thing" : "\(sent.damageBefore) damaged things"
    let records = sent.records == 0 ? "" : "put \(Quantity.count(sent.records, "record")) anew; "
    return "\(records)sent \(Quantity.count(sent.blobs, "blob")), \(Quantity.bytes(sent.bytes)); repaired "
      + "\(sent.damageBefore - left) of \(all)"
  }

  // MARK: stats

  func statistics(_ found: RemoteStatistics) -> [String] {
    let form = found.remote.isSealed ? "sealed" : "plain"
    var lines = [
      "\(self.form.name(found.remote.name)): \(TerminalText.escaped(found.remote.url.description)), \(form), "
        + "\(Quantity.count(found.states, "state")) of \(Quantity.count(found.writers, "writer"))"
    ]
    var table = Table([.left, .right, .right])
    for folder in found.folders {
      table.add([
        Table.Cell(text: TerminalText.escaped(folder.name)), Table.Cell(text: Quantity.count(folder.objects, "object")),
        Table.Cell(text: Quantity.bytes(folder.bytes)),
      ])
    }
    lines += table.lines().map { "  " + $0 }
    let remote = self.form.name(found.remote.name)
    if found.unlisted.packs > 0 {
      lines.append("named by no index, as of a push that has not ended: \(packs(found.unlisted, of: remote))")
    }
    if found.marked.packs > 0 { lines.append("marked: \(packs(found.marked, of: remote))\(due(found.marked))") }
    if found.due.packs > 0 { lines.append("marked, and due for the next gc: \(packs(found.due, of: remote))") }
    return lines
  }
}
