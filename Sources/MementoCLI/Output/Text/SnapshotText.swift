// One snapshot for people: the lines of `memento show` above the changes.

import MementoKit

struct SnapshotText {
  let form: TextForm

  func lines(_ details: SnapshotDetails) -> [String] {
    let snapshot = details.snapshot
    var lines = ["snapshot \(form.style.id(snapshot.id.description))\(names(details))"]
    if let parent = snapshot.parent {
      let isGone = details.comparison == nil ? " (not stored any more)" : ""
      lines.append("parent   \(form.id(parent))\(isGone)")
    }
    lines.append("time     \(form.time(snapshot.time))")
    lines.append("user     \(TerminalText.escaped("\(snapshot.user)@\(snapshot.host)"))")
    let size = Quantity.bytes(snapshot.bytes)
    lines.append(
      snapshot.kind == .value ? "value    \(size)" : "folder   \(Quantity.count(snapshot.files, "file")), \(size)")
    for problem in details.unrecorded {
      lines.append("without  \(TerminalText.escaped(problem.path)): \(TerminalText.escaped(problem.text))")
    }
    let log = LogText(form: form)
    let message = log.message(snapshot, within: nil) + log.note(details.note, within: nil)
    if !message.isEmpty { lines += [""] + message }
    return lines
  }

  private func names(_ details: SnapshotDetails) -> String {
    let mark = details.isCurrent ? [form.style.current("*")] : []
    let names = details.names.map { form.style.name(TerminalText.escaped($0)) }
    let all = (mark + [names.joined(separator: ", ")]).filter { !$0.isEmpty }
    return all.isEmpty ? "" : " (\(all.joined(separator: " ")))"
  }
}
