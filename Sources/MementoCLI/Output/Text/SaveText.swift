// The line that a save prints.

import MementoKit

struct SaveText {
  let form: TextForm

  /// For example `saved NAME ID: 3 added, 1 removed; 1.2 MiB added to the store`, or `nothing changed since ID (saved
  /// as NAME); no snapshot made`.
  func folder(_ summary: SaveSummary) -> String {
    if summary.isUnchanged {
      let made = summary.isCommitted ? "no snapshot made" : "no snapshot would be made"
      return "nothing changed since \(form.place(summary.snapshot, names: [])); \(made)"
    }
    let changes = SaveText.changes(summary.changes)
    // A dry run compresses nothing, so it does not know by how much the store would grow.
    let amount = summary.isCommitted ? growth(summary) : "\(Quantity.bytes(summary.bytesRead)) in changed files"
    return head(summary, summary.isCommitted ? "saved" : "would save", summary.snapshot.name) + ": "
      + (summary.snapshot.isComplete ? changes : changes + " (incomplete)") + "; " + amount
  }

  /// For example `saved NAME ID: a value of 1.2 KiB; 300 B added to the store`.
  func value(_ summary: SaveSummary) -> String {
    head(summary, summary.isCommitted ? "saved" : "would save", summary.snapshot.name)
      + ": a value of \(Quantity.bytes(summary.snapshot.bytes))" + (summary.isCommitted ? "; " + growth(summary) : "")
  }

  /// For example `named NAME ID`. `name` is the new name; the snapshot itself keeps the name with which it was saved.
  func name(_ name: String, _ summary: SaveSummary) -> String {
    let isNew = summary.isCommitted ? "named" : "would name"
    return "\(isNew) \(form.name(name)) \(form.paintedID(summary.snapshot.id))" + before(summary)
  }

  /// For example `3 added, 2 modified`, or `no changes`.
  static func changes(_ changes: ChangeCounts) -> String {
    let parts = [(changes.added, "added"), (changes.modified, "modified"), (changes.removed, "removed")]
    let said = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return said.isEmpty ? "no changes" : said.joined(separator: ", ")
  }

  private func head(_ summary: SaveSummary, _ verb: String, _ name: String?) -> String {
    // A dry run shows no id, because the id depends on the time of the save.
    let id = summary.isCommitted ? " " + form.paintedID(summary.snapshot.id) : ""
    return "\(verb) \(form.name(name))\(id)" + before(summary)
  }

  private func before(_ summary: SaveSummary) -> String {
    guard let replaced = summary.replaced, replaced != summary.snapshot.id else { return "" }
    return " (was \(form.id(replaced)))"
  }

  private func growth(_ summary: SaveSummary) -> String {
    "\(Quantity.bytes(summary.bytesStored)) added to the store"
  }
}
