// The lines of `memento prune`.

import MementoKit

struct PruneText {
  let form: TextForm

  /// A line for each state, the newest first: name, id, time and the reason, as in `kept: daily 2026-11-20`. Then how many
  /// there are, and how to get one back.
  func lines(_ summary: PruneSummary) -> [String] {
    let hint =
      summary.isCommitted && !summary.removed.isEmpty ? "; name one again with: memento save NAME --from ID" : ""
    return table(summary) + [total(summary) + hint]
  }

  /// The same of a remote. At the end what its gc frees then, which nobody knows of a damaged one.
  func lines(_ summary: RemotePruneSummary) -> [String] {
    let states = summary.states
    var lines = table(states) + [total(states)]
    if let unneeded = summary.unneeded, let sparse = summary.sparse {
      let bytes = unneeded.bytes + sparse.bytes
      lines.append(
        bytes == 0
          ? "the states that are left need every pack"
          : Advice.collect(form.name(summary.remote), frees: Quantity.bytes(bytes)))
    } else if let problem = summary.problem {
      lines.append("what this frees is not known: \(problem)")
    }
    return lines
  }

  private func table(_ summary: PruneSummary) -> [String] {
    let kept = summary.isCommitted ? "kept" : "would keep"
    let removed = summary.isCommitted ? "removed" : "would remove"
    var table = Table([.left, .left, .left, .left])
    let all = summary.kept.map { (state: $0, isKept: true) } + summary.removed.map { (state: $0, isKept: false) }
    for (state, isKept) in all.sorted(by: { ($0.state.time ?? .distant) > ($1.state.time ?? .distant) }) {
      table.add([
        Table.Cell(text: TerminalText.escaped(state.name), paint: form.style.name),
        Table.Cell(text: form.id(state.snapshot), paint: form.style.id),
        Table.Cell(text: state.time.map(form.time) ?? "-"),
        isKept
          ? Table.Cell(text: "\(kept): \(state.reasons.joined(separator: ", "))")
          : Table.Cell(text: removed, paint: form.style.removed),
      ])
    }
    return table.lines()
  }

  private func total(_ summary: PruneSummary) -> String {
    let kept = summary.isCommitted ? "kept" : "would keep"
    let removed = summary.isCommitted ? "removed" : "would remove"
    return "\(kept) \(Quantity.count(summary.kept.count, "state")), \(removed) \(summary.removed.count)"
  }
}

extension SnapshotTime {
  /// What cannot be read comes first.
  fileprivate static let distant = SnapshotTime(seconds: .max, nanoseconds: 0)
}
