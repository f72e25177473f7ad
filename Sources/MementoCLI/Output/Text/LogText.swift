// The history as text: a line for each entry, with its message and its files indented below.

import MementoKit

struct LogText {
  let form: TextForm
  /// Whether branches of history that undo left are drawn.
  var drawsBranches = false

  func lines(_ entries: [LogEntry]) -> [String] { groups(entries).flatMap { $0 } }

  /// The lines of each entry.
  func groups(_ entries: [LogEntry]) -> [[String]] {
    let graph = graph(entries)
    let width = room(beside: graph)
    // On a terminal, where it is always the same, nobody needs to read who it was.
    let users = Set(entries.map { "\($0.snapshot.user)@\($0.snapshot.host)" })
    let showsUsers = form.now == nil || users.count > 1
    let rows = entries.map { entry in
      let snapshot = entry.snapshot
      var row = [
        form.mark(entry.isCurrent),
        Table.Cell(text: form.id(snapshot.id), paint: form.style.id),
        Table.Cell(text: entry.operation.description, paint: form.style.faint),
        Table.Cell(text: form.when(entry.time)),
        Table.Cell(text: TerminalText.escaped("\(snapshot.user)@\(snapshot.host)")),
        Table.Cell(text: LogText.changes(entry)),
      ]
      if !showsUsers { row.remove(at: 4) }
      if graph != nil { row.removeFirst() }
      return row
    }
    let lines = table(rows, entries, width, keeping: graph == nil ? 2 : 1)
    return zip(lines, zip(entries, graph?.rows ?? entries.map { _ in HistoryGraph.Row() })).map { line, place in
      let (entry, row) = place
      let below = story(entry, within: width) + message(entry.snapshot, within: width) + note(entry.note, within: width)
      return placed([line] + below + files(entry, within: width), entry, row, graph)
    }
  }

  /// The lines of a table with the names and the marks of the entries after these cells. `leading`: how many cells are
  /// never cut.
  private func table(
    _ rows: [[Table.Cell]], _ entries: [LogEntry], _ width: Int?, keeping leading: Int
  ) -> [String] {
    guard let columns = rows.first?.count else { return [] }
    var start = Table(Array(repeating: .left, count: columns))
    for row in rows { start.add(row) }
    let marksWidth = entries.map { DisplayWidth.of(marks($0)) }.max() ?? 0
    let left = width.map { max(16, $0 - start.width - 2 - (marksWidth > 0 ? 2 + min(marksWidth, 24) : 0)) }
    var table = Table(Array(repeating: .left, count: columns + 2), ellipsis: form.ellipsis)
    for (row, entry) in zip(rows, entries) {
      table.add(
        row + [
          Table.Cell(text: NameWords.text(entry.names, within: left, form.ellipsis), paint: form.style.name),
          Table.Cell(text: marks(entry)),
        ])
    }
    // Whole ids are asked for to be copied, so then only names and marks are cut.
    return table.lines(within: width, cutting: columns, keeping: form.showsFullIDs ? nil : leading)
  }

  /// Mark, id, names, and the first line of the message. Without one, what the step did, or the first line of the note.
  func shortLines(_ entries: [LogEntry]) -> [String] { shortGroups(entries).flatMap { $0 } }

  /// The same for each entry.
  func shortGroups(_ entries: [LogEntry]) -> [[String]] {
    let graph = graph(entries)
    let width = room(beside: graph)
    return zip(entries, graph?.rows ?? entries.map { _ in HistoryGraph.Row() }).map { entry, row in
      placed([shortLine(entry, within: width, marked: graph == nil)] + files(entry, within: width), entry, row, graph)
    }
  }

  private func shortLine(_ entry: LogEntry, within width: Int?, marked: Bool) -> String {
    let snapshot = entry.snapshot
    let mark = form.mark(entry.isCurrent)
    var words = marked ? [mark.paint(mark.text)] : []
    words.append(form.paintedID(snapshot.id))
    var left = width.map { $0 - form.id(snapshot.id).count - (marked ? 2 : 0) }
    func add(_ text: String, _ paint: (String) -> String = { $0 }, in signs: String = "") {
      guard !text.isEmpty else { return }
      let shown = left.map { DisplayWidth.cut(text, to: $0 - 1 - signs.count, form.ellipsis) } ?? text
      if shown.isEmpty { return }
      left = left.map { $0 - 1 - signs.count - DisplayWidth.of(shown) }
      words.append(signs.prefix(1) + paint(shown) + signs.dropFirst())
    }
    add(
      NameWords.text(entry.names, within: left.map { max(12, $0 / 2) }, form.ellipsis), form.style.name,
      in: entry.names.isEmpty ? "" : "()")
    add(marks(entry))
    // The message of what was restored is that of an earlier step.
    let story = StepText.line(entry)
    let message = form.firstLine(snapshot.message ?? (story == nil ? entry.note ?? "" : ""))
    if let story, message.isEmpty || entry.restored != nil {
      add(story, form.style.faint)
    } else if message.isEmpty {
      add("\(entry.operation) \(LogText.changes(entry))", form.style.faint)
    } else {
      add(message)
    }
    return words.joined(separator: " ")
  }

  // MARK: The graph

  private func graph(_ entries: [LogEntry]) -> HistoryGraph? {
    drawsBranches ? HistoryGraph(entries, isUnicode: form.isUnicode) : nil
  }

  /// The columns that are left beside the graph; nil where nothing limits them.
  private func room(beside graph: HistoryGraph?) -> Int? {
    form.width.map { $0 - (graph.map { $0.width + 2 } ?? 0) }
  }

  /// The lines of an entry with the graph at their left.
  private func placed(
    _ lines: [String], _ entry: LogEntry, _ row: HistoryGraph.Row, _ graph: HistoryGraph?
  ) -> [String] {
    guard let graph else { return lines }
    return row.joins
      + lines.enumerated().map { index, line in
        let left = index == 0 ? row.node : row.rest
        if line.isEmpty { return left }
        let padding = String(repeating: " ", count: graph.width + 2 - left.count)
        let shown = index == 0 && entry.isCurrent ? left.split(separator: "*", omittingEmptySubsequences: false) : []
        return (shown.isEmpty ? left : shown.joined(separator: form.style.current("*"))) + padding + line
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
    if entry.marks.contains(.elsewhere) { return "e" }
    return entry.marks.contains(.replaced) ? "r" : " "
  }

  /// The marks, for example `[undone; deleted: one, two]`. A name that the entry has says why it is there.
  private func marks(_ entry: LogEntry) -> String {
    let shown = entry.marks.filter { $0 != .named && !($0 == .undone && !entry.names.isEmpty) }
    if shown.isEmpty { return "" }
    let words = shown.map { mark in
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

  /// What the step did, in a line or more.
  private func story(_ entry: LogEntry, within width: Int?) -> [String] {
    indented(StepText.line(entry) ?? "", within: width).map { "    " + form.style.faint(String($0.dropFirst(4))) }
  }

  func message(_ snapshot: Snapshot, within width: Int?) -> [String] {
    indented(snapshot.message ?? "", within: width)
  }

  /// What the user has noted beside a snapshot.
  func note(_ note: String?, within width: Int?) -> [String] {
    note.map { indented("note: " + $0, within: width) } ?? []
  }

  private func indented(_ text: String, within width: Int?) -> [String] {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let end = lines.lastIndex { !$0.isEmpty } ?? -1
    return lines.prefix(end + 1).flatMap { line in
      let text = TerminalText.escaped(String(line))
      if text.isEmpty { return [""] }
      return (width.map { DisplayWidth.parts(of: text, columns: max(16, $0 - 4)) } ?? [text]).map { "    " + $0 }
    }
  }

  /// A line for each file, for example ` M src/main.c 1.2 KiB -> 1.3 KiB`.
  private func files(_ entry: LogEntry, within width: Int?) -> [String] {
    guard let changes = entry.changes else { return [] }
    var table = Table([.left, .left, .left], ellipsis: form.ellipsis)
    for sized in changes {
      table.add([
        form.letter(sized.change.kind),
        Table.Cell(text: TerminalText.escaped(sized.change.path)),
        Table.Cell(text: LogText.sizes(sized), paint: form.style.faint),
      ])
    }
    let lines = width.map { table.lines(within: $0 - 4, cutting: [(1, 16), (2, 1)]) } ?? table.lines()
    return lines.map { "    " + $0 }
  }

  private static func sizes(_ sized: SizedChange) -> String {
    switch (sized.oldSize, sized.newSize) {
    case (let old?, let new?) where old != new: "\(Quantity.bytes(old)) -> \(Quantity.bytes(new))"
    case (let size?, _), (_, let size?): Quantity.bytes(size)
    case (nil, nil): ""
    }
  }
}
