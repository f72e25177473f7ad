// What a step of the history did, in one line, and what the user has noted beside its snapshot.

import MementoKit

enum StepText {
  /// For example `run: ./upgrade.sh (exit 3, 2m10s), taken back` or `restored one: 130 created, 60 replaced, 36 removed`, or
  /// `reverted one..two: 1 replaced`. Nil where nothing is known.
  static func line(_ entry: LogEntry) -> String? {
    guard let text = entry.command.map(command) ?? entry.restored.map(restored) else { return nil }
    return text + (entry.isTakenBack ? ", taken back" : "")
  }

  private static func command(_ run: CommandRun) -> String {
    let words = run.words.map { ShellWord.quoted(TerminalText.escaped($0)) } + (run.isCut ? ["..."] : [])
    let end = run.status == 0 ? "" : "exit \(run.status), "
    return "run: \(words.joined(separator: " ")) (\(end)\(duration(run.milliseconds)))"
  }

  private static func restored(_ state: RestoredState) -> String {
    let counts = [
      (state.created, "created"), (state.replaced, "replaced"), (state.removed, "removed"),
      (state.metadata, "with other metadata"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let name = TerminalText.escaped(state.name)
    return (state.until.map { "reverted \(name)..\(TerminalText.escaped($0)): " } ?? "restored \(name): ")
      + (counts.isEmpty ? "nothing to change" : counts.joined(separator: ", "))
  }

  /// For example `0.4s`, `12s`, `2m10s` or `3h05m`.
  static func duration(_ milliseconds: UInt64) -> String {
    let seconds = milliseconds / 1000
    func padded(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return switch seconds {
    case ..<10: "\(seconds).\(milliseconds % 1000 / 100)s"
    case ..<60: "\(seconds)s"
    case ..<3600: "\(seconds / 60)m\(padded(seconds % 60))s"
    default: "\(seconds / 3600)h\(padded(seconds / 60 % 60))m"
    }
  }
}
