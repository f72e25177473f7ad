// The lines of `memento fork`.

import MementoKit

struct ForkText {
  let form: TextForm

  /// For example `forked good 2ae4d1f5219b into ../try: 12 created; 3.2 MiB written`. `snapshot` and `place` are what the
  /// user typed.
  func made(_ summary: ForkSummary, of snapshot: String, into place: BytePath) -> String {
    let text = RestoreText(form: form)
    let verb = summary.restore.isCommitted ? "forked" : "would fork"
    let found = summary.restore.snapshot
    let name = form.name(text.name(found, snapshot))
    return "\(verb) \(name) \(form.paintedID(found.id)) into \(TerminalText.escaped(place)): "
      + text.amounts(summary.restore)
  }

  /// A line for each fork: where it is, at which snapshot, how many steps it has, and what is wrong with it.
  func lines(_ forks: [Fork]) -> [String] {
    var table = Table([.left, .left, .right, .left])
    for fork in forks {
      let position = fork.position.map { form.id($0) }
      table.add([
        Table.Cell(text: TerminalText.escaped(fork.folder), paint: form.style.name),
        Table.Cell(
          text: ([fork.names.first.map { TerminalText.escaped($0) }, position].compactMap(\.self)).joined(
            separator: " ")),
        Table.Cell(text: Quantity.count(fork.steps, "step"), paint: form.style.faint),
        Table.Cell(text: ForkText.trouble(fork).map { "(\($0))" } ?? "", paint: form.style.alarm),
      ])
    }
    return table.lines()
  }

  private static func trouble(_ fork: Fork) -> String? {
    switch fork.presence {
    case .there: break
    case .missing: return "not there: moved, removed, or on a disk that is not mounted"
    case .astray: return "its .memento/store leads elsewhere: write the path of this store into it"
    case .unreadable(let reason): return TerminalText.escaped(reason)
    }
    if fork.isRestorePending { return "a restore was interrupted" }
    return fork.position == nil ? "not filled: fork it again" : nil
  }

  /// The id, the position, a word and the path of each, with tabs between them and NUL at the end.
  func records(_ forks: [Fork]) -> [UInt8] {
    forks.flatMap { fork in
      let fields = [fork.id, fork.position?.description ?? "", ForkText.word(fork)].joined(separator: "\t")
      return Array((fields + "\t").utf8) + fork.folder.bytes + [0]
    }
  }

  /// The state of a fork in one word, for programs.
  static func word(_ fork: Fork) -> String {
    switch fork.presence {
    case .there: break
    case .missing: return "missing"
    case .astray: return "astray"
    case .unreadable: return "unreadable"
    }
    if fork.isRestorePending { return "interrupted" }
    return fork.position == nil ? "unfilled" : "ready"
  }

  /// For example `forgot the fork /home/ann/try, with 3 steps; its files stay`.
  func forgotten(_ forgotten: ForgottenFork) -> String {
    let fork = forgotten.fork
    let verb = forgotten.isCommitted ? "forgot" : "would forget"
    let files = fork.presence != .missing ? "; its files stay" : ""
    return "\(verb) the fork \(TerminalText.escaped(fork.folder)), with "
      + Quantity.count(forgotten.stepsRemoved, "step") + files
  }

  /// A line for each fork whose folder is not where it was: gc keeps what it needs all the same. For example `kept the 3
  /// steps of the fork /home/ann/try, which is not there; memento fork --forget /home/ann/try lets go of them`.
  func kept(_ forks: [Fork]) -> [String] {
    forks.filter { $0.presence == .missing }.map { fork in
      let folder = TerminalText.escaped(fork.folder)
      let steps = "kept the \(Quantity.count(fork.steps, "step")) of the fork \(folder)"
      return "\(steps), which is not there; `memento fork --forget \(ShellWord.quoted(folder))` lets go of them"
    }
  }
}
