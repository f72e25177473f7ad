// The lines above the changes of an entry.

import MementoKit
import MementoText

enum EntryHeader {
  static func lines(_ entry: LogEntry, zoneOffset: (Int64) -> Int) -> [DetailLine] {
    let snapshot = entry.snapshot
    func time(_ time: SnapshotTime) -> String { LocalTime.text(time, offset: zoneOffset(time.seconds)) }
    let names = entry.names.map { "  " + TerminalText.escaped($0) }
    var lines = [DetailLine("snapshot \(snapshot.id.short)" + (names.first ?? ""), .id)]
    lines += names.dropFirst().map { DetailLine("also   " + $0, .id) }
    if names.isEmpty, let name = snapshot.name { lines.append(DetailLine("saved as \(TerminalText.escaped(name))")) }
    lines.append(DetailLine("saved    \(time(snapshot.time))"))
    if entry.operation == .restore { lines.append(DetailLine("restored \(time(entry.time))")) }
    lines.append(DetailLine("user     " + TerminalText.escaped("\(snapshot.user)@\(snapshot.host)")))
    lines.append(
      DetailLine("folder   \(Quantity.count(snapshot.files, "file")), \(Quantity.bytes(snapshot.bytes))"))
    if !snapshot.isComplete { lines.append(DetailLine("some files could not be read when it was saved", .alarm)) }
    let message = (snapshot.message ?? "").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    if message.contains(where: { !$0.isEmpty }) {
      lines.append(DetailLine(""))
      lines += message.map { DetailLine("    " + TerminalText.escaped(String($0))) }
    }
    return lines + [DetailLine("")]
  }
}
