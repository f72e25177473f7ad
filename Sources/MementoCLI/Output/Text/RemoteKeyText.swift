// The lines of `memento remote key`.

import MementoKit

struct RemoteKeyText {
  let form: TextForm

  /// The columns mark, id, kind, time and label.
  func lines(_ keys: [RemoteKey]) -> [String] {
    var table = Table([.left, .left, .left, .left, .left])
    for key in keys {
      table.add([
        form.mark(key.isCurrent), Table.Cell(text: key.id, paint: form.style.id),
        Table.Cell(text: RemoteKeyText.word(key.kind)),
        Table.Cell(text: form.time(key.made), paint: form.style.faint),
        Table.Cell(text: TerminalText.escaped(key.label)),
      ])
    }
    return table.lines()
  }

  /// The same fields for programs.
  func records(_ keys: [RemoteKey]) -> [[String]] {
    keys.map { [$0.id, $0.kind.description, $0.made.rfc3339, $0.isCurrent ? "current" : "other", $0.label] }
  }

  /// For example `added the passphrase 0123456789abcdef (ann) to origin`.
  func changed(_ change: RemoteKeyChange) -> String {
    let remote = form.name(change.remote)
    switch (change.added, change.removed) {
    case (let added?, let removed?): return "\(remote) has the \(text(added)) in the place of the \(text(removed))"
    case (let added?, nil): return "added the \(text(added)) to \(remote)"
    case (nil, let removed?):
      if change.isCommitted { return "removed the \(text(removed)) from \(remote)" }
      return "would remove the \(text(removed)) from \(remote)"
    case (nil, nil): return "would add a key to \(remote)"
    }
  }

  private func text(_ key: RemoteKey) -> String {
    let label = key.label.isEmpty ? "" : " (\(TerminalText.escaped(key.label)))"
    return "\(RemoteKeyText.word(key.kind)) \(form.style.id(key.id))\(label)"
  }

  private static func word(_ kind: RemoteKey.Kind) -> String {
    switch kind {
    case .keyFile: "key file"
    case .recoveryKey: "recovery key"
    default: kind.description
    }
  }
}
