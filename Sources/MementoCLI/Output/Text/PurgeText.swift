// The lines of `memento purge`.

import MementoKit

struct PurgeText {
  /// So many states are listed one by one.
  private static let statesListed = 20
  /// So many paths with the same content are listed.
  private static let sharedListed = 5

  let form: TextForm

  /// What it is about, which states change and how, what else has some of the content, what was freed, and what is out of
  /// reach.
  func lines(_ summary: PathPurgeSummary) -> [String] {
    found(summary) + states(summary) + shared(summary) + rescued(summary) + [freed(summary)] + beyond(summary)
  }

  /// For example `secret.env: in 3 snapshots, 2 versions, 1.4 KiB`. What several paths have is added up.
  private func found(_ summary: PathPurgeSummary) -> [String] {
    if summary.foundNothing || summary.paths.isEmpty { return [] }
    var lines = summary.paths.map {
      "\(TerminalText.escaped($0.path)): in \(Quantity.count($0.snapshots, "snapshot"))"
    }
    let content = "\(Quantity.count(summary.versions, "version")), \(Quantity.bytes(summary.bytes))"
    if lines.count == 1 { lines[0] += ", \(content)" } else { lines.append("\(content) in all") }
    return lines
  }

  /// For example `rewrote one 2ae4d1f5219b -> 9b1c0d2e3f4a`; states that only follow are counted.
  private func states(_ summary: PathPurgeSummary) -> [String] {
    let verb = summary.isCommitted ? "rewrote" : "would rewrite"
    let had = summary.states.filter(\.hadPath)
    var lines = had.prefix(PurgeText.statesListed).map { state in
      let after = summary.isCommitted ? " -> \(form.paintedID(state.after))" : ""
      return "\(verb) \(form.name(state.name)) \(form.paintedID(state.before))\(after)"
    }
    if had.count > lines.count { lines.append("and \(Quantity.count(had.count - lines.count, "more state"))") }
    if summary.snapshotsRewritten > 0 {
      let following = summary.snapshotsRewritten - summary.snapshotsPurged
      let rest = following > 0 ? "; \(following) after them \(summary.isCommitted ? "got" : "would get") new ids" : ""
      lines.append("\(verb) \(Quantity.count(summary.snapshotsPurged, "snapshot"))\(rest)")
    }
    return lines
  }

  private func shared(_ summary: PathPurgeSummary) -> [String] {
    if summary.sharedCount == 0 { return [] }
    let keep = summary.isCommitted ? "kept" : "would keep"
    var lines = summary.shared.prefix(PurgeText.sharedListed).map { item in
      let place = item.names.first.map { form.name($0) } ?? form.paintedID(item.snapshot)
      let what = item.path.map { "\(TerminalText.escaped($0)) in \(place)" } ?? "the value \(place)"
      return "\(keep) \(Quantity.bytes(item.bytes)) that \(what) has, too"
    }
    let more = summary.sharedCount - lines.count
    if more > 0 { lines.append("and \(Quantity.count(more, "other file")) with the same content") }
    return lines
  }

  private func rescued(_ summary: PathPurgeSummary) -> [String] {
    summary.filesRemoved.map { "\(summary.isCommitted ? "removed" : "would remove") \(TerminalText.escaped($0))" }
  }

  private func freed(_ summary: PathPurgeSummary) -> String {
    let kept = "\(Quantity.bytes(summary.bytesKept)) \(summary.isCommitted ? "kept" : "would be kept")"
    if summary.packsRemoved == 0 && summary.packsRewritten == 0 { return "nothing to free; \(kept)" }
    return "\(summary.isCommitted ? "freed" : "would free") \(Quantity.bytes(summary.bytesFreed)): "
      + "\(Quantity.count(summary.packsRemoved, "pack")) removed, \(summary.packsRewritten) rewritten; \(kept)"
  }

  /// What a purge does not reach.
  private func beyond(_ summary: PathPurgeSummary) -> [String] {
    let left = summary.paths.filter { $0.isInFolder == true && !$0.isIgnored && $0.snapshots > 0 }
    var lines = left.map { "\(TerminalText.escaped($0.path)) is still in the folder; \(Advice.keepOut($0.path))" }
    if !summary.paths.isEmpty && !summary.foundNothing { lines.append(Advice.beyondPurge) }
    return lines
  }
}
