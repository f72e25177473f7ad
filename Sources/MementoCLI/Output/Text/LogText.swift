// The history as text: a line for each entry, with its message and its files indented below.

import MementoKit

struct LogText {
  let form: TextForm

  func lines(_ entries: [LogEntry]) -> [String] { groups(entries).flatMap { $0 } }

  /// The lines of each entry.
  func groups(_ entries: [LogEntry]) -> [[String]] {
    // On a terminal, where it is always the same, nobody needs to read who it was.
    let users = Set(entries.map { "\($0.snapshot.user)@\($0.snapshot.host)" })
    let showsUsers = form.now == nil || users.count > 1
    var table = Table(Array(repeating: .left, count: showsUsers ? 8 : 7))
    for entry in entries {
      let snapshot = entry.snapshot
      var row = [
        form.mark(entry.isCurrent),
        Table.Cell(text: form.id(snapshot.id), paint: form.style.id),
        Table.Cell(text: entry.operation.description, paint: form.style.faint),
        Table.Cell(text: form.when(entry.time)),
        Table.Cell(text: TerminalText.escaped("\(snapshot.user)@\(snapshot.host)")),
        Table.Cell(text: LogText.changes(entry)),
        Table.Cell(text: names(entry), paint: form.style.name),
        Table.Cell(text: marks(entry)),
      ]
      if !showsUsers { row.remove(at: 4) }
      table.add(row)
    }
    return zip(table.lines(), entries).map { line, entry in
      [line] + message(entry.snapshot) + files(entry)
    }
  }

  /// Mark, id, names, and the first line of the message. Without a message, the operation and the counts.
  func shortLines(_ entries: [LogEntry]) -> [String] { shortGroups(entries).flatMap { $0 } }

  /// The same for each entry.
  func shortGroups(_ entries: [LogEntry]) -> [[String]] {
    entries.map { entry in
      let snapshot = entry.snapshot
      let mark = form.mark(entry.isCurrent)
      var words = [mark.paint(mark.text), form.paintedID(snapshot.id)]
      if !entry.names.isEmpty { words.append("(\(form.style.name(names(entry))))") }
      if !entry.marks.isEmpty { words.append(marks(entry)) }
      let message = TerminalText.firstLine(snapshot.message ?? "")
      words.append(message.isEmpty ? form.style.faint("\(entry.operation) \(LogText.changes(entry))") : message)
      return [words.joined(separator: " ")] + files(entry)
    }
  }

  /// The fields mark, operation, id, names, time, user, host, the three counts and message. Names are joined with `:`,
  /// which no name contains.
  func records(_ entries: [LogEntry]) -> [[String]] {
    entries.map { entry in
      let snapshot = entry.snapshot
      let changes = entry.counts
      let counts = [changes?.added, changes?.modified, changes?.removed].map { $0.map(String.init) ?? "" }
      return [
        LogText.letter(entry), entry.operation.description, snapshot.id.description, entry.names.joined(separator: ":"),
        entry.time.rfc3339, snapshot.user, snapshot.host,
      ] + counts + [snapshot.message ?? ""]
    }
  }

  /// The most important mark of an entry.
  private static func letter(_ entry: LogEntry) -> String {
    if entry.isCurrent { return "*" }
    if entry.marks.contains(.deleted) { return "d" }
    if entry.marks.contains(.undone) { return "u" }
    return entry.marks.contains(.replaced) ? "r" : " "
  }

  private func names(_ entry: LogEntry) -> String {
    entry.names.map(TerminalText.escaped).joined(separator: ", ")
  }

  /// The marks, for example `[undone; deleted: one, two]`.
  private func marks(_ entry: LogEntry) -> String {
    if entry.marks.isEmpty { return "" }
    let words = entry.marks.map { mark in
      mark == .deleted
        ? "deleted: " + entry.deletedNames.map(TerminalText.escaped).joined(separator: ", ") : mark.description
    }
    return "[\(words.joined(separator: "; "))]"
  }

  /// The counts, for example `+3 ~1 -0`. They are question marks when the snapshot before cannot be read any more.
  private static func changes(_ entry: LogEntry) -> String {
    if entry.snapshot.kind == .value { return "value" }
    let counts = entry.counts.map { "+\($0.added) ~\($0.modified) -\($0.removed)" } ?? "+? ~? -?"
    return counts + (entry.snapshot.isComplete ? "" : " (incomplete)")
  }

  func message(_ snapshot: Snapshot) -> [String] {
    let lines = (snapshot.message ?? "").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let end = lines.lastIndex { !$0.isEmpty } ?? -1
    return lines.prefix(end + 1).map { $0.isEmpty ? "" : "    " + TerminalText.escaped(String($0)) }
  }

  /// A line for each file, for example ` M src/main.c 1.2 KiB -> 1.3 KiB`.
  private func files(_ entry: LogEntry) -> [String] {
    guard let changes = entry.changes else { return [] }
    var table = Table([.left, .left, .left])
    for sized in changes {
      table.add([
        form.letter(sized.change.kind),
        Table.Cell(text: TerminalText.escaped(sized.change.path)),
        Table.Cell(text: LogText.sizes(sized), paint: form.style.faint),
      ])
    }
    return table.lines().map { "    " + $0 }
  }

  private static func sizes(_ sized: SizedChange) -> String {
    switch (sized.oldSize, sized.newSize) {
    case (let old?, let new?) where old != new: "\(Quantity.bytes(old)) -> \(Quantity.bytes(new))"
    case (let size?, _), (_, let size?): Quantity.bytes(size)
    case (nil, nil): ""
    }
  }
}
