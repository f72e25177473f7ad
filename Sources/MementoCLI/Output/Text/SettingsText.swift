// The lines of `memento config`.

import MementoKit

struct SettingsText {
  let form: TextForm
  /// Paths below these two folders are shown as short as they can be.
  let directory: BytePath
  let home: BytePath?

  /// The columns key, value and where it comes from; with `withMeaning` also what the key means. A repeatable key has a
  /// line for each value. A value that is not understood has the reason in place of its source.
  func lines(_ settings: [ConfigSetting], withMeaning: Bool) -> [String] {
    var table = Table(withMeaning ? [.left, .left, .left, .left] : [.left, .left, .left])
    for setting in settings {
      var meaning = setting.key.meaning
      for row in rows(setting) {
        table.add(row + (withMeaning ? [Table.Cell(text: meaning, paint: form.style.faint)] : []))
        meaning = ""
      }
    }
    return table.lines()
  }

  private func rows(_ setting: ConfigSetting) -> [[Table.Cell]] {
    let key = Table.Cell(text: setting.key.name, paint: form.style.name)
    if setting.values.isEmpty { return [[key, Table.Cell(text: "-"), Table.Cell(text: "not set")]] }
    return setting.values.map { value in
      let text = Table.Cell(text: TerminalText.escaped(value.bytes))
      guard let problem = value.problem else { return [key, text, Table.Cell(text: source(value))] }
      return [key, text, Table.Cell(text: "\(source(value)): \(problem)", paint: form.style.alarm)]
    }
  }

  private func source(_ value: ConfigSetting.Value) -> String {
    guard let file = value.file, let line = value.line else { return "\(value.source)" }
    return "\(path(file)):\(line)"
  }

  /// A path as short as it can be named from here.
  private func path(_ path: BytePath) -> String {
    for (folder, short) in [(directory, ""), (home, "~/")] {
      if let folder, path.bytes.starts(with: folder.bytes + [UInt8(ascii: "/")]) {
        return short + TerminalText.escaped(Array(path.bytes.dropFirst(folder.bytes.count + 1)))
      }
    }
    return TerminalText.escaped(path)
  }

  /// For example `set gitignore = true in .memento/config (was false)`.
  func changed(_ summary: ConfigChangeSummary) -> [String] {
    let key = form.style.name(summary.key.name)
    let file = path(summary.file)
    if summary.after == summary.before { return ["\(key) is so already in \(file)"] }
    var lines: [String] = []
    let gone = summary.removed
    let new = summary.added
    if gone.count == 1, new.count == 1 {
      let verb = summary.isCommitted ? "set" : "would set"
      return ["\(verb) \(key) = \(TerminalText.escaped(new[0])) in \(file) (was \(TerminalText.escaped(gone[0])))"]
    }
    for value in gone {
      lines.append(
        "\(summary.isCommitted ? "unset" : "would unset") \(key) = \(TerminalText.escaped(value)) in \(file)")
    }
    for value in new {
      lines.append("\(summary.isCommitted ? "set" : "would set") \(key) = \(TerminalText.escaped(value)) in \(file)")
    }
    return lines
  }
}
