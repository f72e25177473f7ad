// The lines of `memento remote`.

import MementoKit

struct RemoteText {
  let form: TextForm

  /// The columns name, URL, form, last contact and a remark.
  func lines(_ remotes: [Remote]) -> [String] {
    var table = Table([.left, .left, .left, .left, .left])
    for remote in remotes {
      table.add([
        Table.Cell(text: TerminalText.escaped(remote.name), paint: form.style.name),
        Table.Cell(text: TerminalText.escaped(remote.url.description)),
        Table.Cell(text: RemoteText.word(remote.isSealed)),
        Table.Cell(text: remote.lastContact.map { form.when($0) } ?? "never reached", paint: form.style.faint),
        Table.Cell(text: remote.isConfirmed ? "" : "(not confirmed here)", paint: form.style.alarm),
      ])
    }
    return table.lines()
  }

  /// The same fields for programs.
  func records(_ remotes: [Remote]) -> [[String]] {
    remotes.map {
      [
        $0.name, $0.url.description, RemoteText.word($0.isSealed), $0.isConfirmed ? "confirmed" : "unconfirmed",
        $0.lastContact?.rfc3339 ?? "",
      ]
    }
  }

  /// For example `added origin: file:///mnt/backup, new and sealed`, or `…, sealed, with 12 states`.
  func added(_ summary: RemoteAddSummary, isDryRun: Bool) -> String {
    let what = RemoteText.word(summary.remote.isSealed)
    let rest = summary.isNew ? "new and \(what)" : "\(what), with \(Quantity.count(summary.names, "state"))"
    return "\(isDryRun ? "would add" : "added") \(form.name(summary.remote.name)): \(place(summary.remote)), \(rest)"
  }

  /// For example `origin can be reached: file:///mnt/backup, sealed, with 12 states`.
  func checked(_ summary: RemoteAddSummary) -> String {
    "\(form.name(summary.remote.name)) can be reached: \(place(summary.remote)), "
      + "\(RemoteText.word(summary.remote.isSealed)), with \(Quantity.count(summary.names, "state"))"
  }

  /// For example `removed origin; what is at file:///mnt/backup stays there`.
  func removed(_ remote: Remote, isDryRun: Bool) -> String {
    "\(isDryRun ? "would remove" : "removed") \(form.name(remote.name)); what is at \(place(remote)) stays there"
  }

  /// What is shown of a recovery key, this once.
  static func recoveryKey(_ key: String, of remote: String) -> String {
    """
    The recovery key of \(TerminalText.escaped(remote)), which is shown only now:

        \(TerminalText.escaped(key))

    Keep it apart from this machine. It opens the remote when the passphrase is lost.

    """
  }

  private func place(_ remote: Remote) -> String { TerminalText.escaped(remote.url.description) }

  private static func word(_ isSealed: Bool) -> String { isSealed ? "sealed" : "plain" }
}
