// The lines that export and import print.

import MementoKit

struct ArchiveText {
  let form: TextForm

  /// For example `exported NAME ID to FILE: 120 entries, 1.2 MiB`. `asked`: what the user called the snapshot.
  func exported(_ summary: ExportSummary, _ asked: String, to file: BytePath) -> String {
    let name = RestoreText(form: form).name(summary.snapshot, asked)
    let entries = summary.entries == 1 ? "1 entry" : "\(summary.entries) entries"
    return
      "exported \(form.name(name)) \(form.paintedID(summary.snapshot.id)) to \(TerminalText.escaped(file)): \(entries), "
      + Quantity.bytes(summary.bytesWritten)
  }

  /// For example `imported NAME ID: 3 entries, 1.2 MiB; 300 KiB added to the store`.
  func imported(_ summary: SaveSummary) -> String {
    let id = summary.isCommitted ? " " + form.paintedID(summary.snapshot.id) : ""
    let before = summary.replaced.map { " (was \(form.id($0)))" } ?? ""
    let count = summary.changes.added
    let entries = (count == 1 ? "1 entry" : "\(count) entries") + (summary.snapshot.isComplete ? "" : " (incomplete)")
    return "\(summary.isCommitted ? "imported" : "would import") \(form.name(summary.snapshot.name))\(id)\(before): "
      + "\(entries), \(Quantity.bytes(summary.snapshot.bytes))"
      + (summary.isCommitted ? "; \(Quantity.bytes(summary.bytesStored)) added to the store" : "")
  }
}
