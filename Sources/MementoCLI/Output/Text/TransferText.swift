// The lines of push, fetch, pull and clone.

import MementoKit

struct TransferText {
  let form: TextForm
  /// What is known of the remote, to name the machines of values.
  var states: [RemoteState] = []

  /// The most moves with a line each; more only with --verbose. Conflicts always have their lines.
  private static let mostLines = 20

  /// For example `pushed 3 states to origin: 2 created, 1 moved; 41.0 MiB sent`, below a line for each move if there are
  /// several.
  func pushed(_ summary: PushSummary) -> [String] {
    let remote = form.name(summary.remote)
    let said = summary.moves.filter { $0.kind != .deletedThere }
    var lines = moves(summary.moves, of: summary.remote, isPush: true)
    guard let only = said.first else {
      let there = summary.unchanged == 0 ? "" : ": \(Quantity.count(summary.unchanged, "state")) unchanged"
      let sent = summary.sentBytes == 0 ? "" : "; \(Quantity.bytes(summary.sentBytes)) \(verb(summary, "sent"))"
      let what =
        !summary.movesPosition
        ? "nothing to push" : "\(summary.isCommitted ? "pushed" : "would push") where the folder is"
      return lines + ["\(what) to \(remote)\(there)\(sent)"]
    }
    let what = said.count == 1 ? form.name(only.name) : Quantity.count(said.count, "state")
    lines.append(
      "\(summary.isCommitted ? "pushed" : "would push") \(what) to \(remote): \(counts(said)); "
        + "\(summary.isCommitted ? "" : "about ")\(Quantity.bytes(summary.sentBytes)) \(verb(summary, "sent"))")
    return lines
  }

  /// For example `origin has 12 states: 2 created, 1 moved since the last look`.
  func fetched(_ summary: FetchSummary) -> [String] {
    let news = summary.moves.isEmpty ? "nothing new" : counts(summary.moves, named: false) + " since the last look"
    return moves(summary.moves, of: summary.remote, isPush: false, always: true)
      + ["\(form.name(summary.remote)) has \(Quantity.count(summary.names, "state")): \(news)"]
  }

  /// For example `pulled 3 states from origin: 2 created, 1 moved; 41.0 MiB received`.
  func pulled(_ summary: FetchSummary) -> [String] {
    let remote = form.name(summary.remote)
    let lines = moves(summary.moves, of: summary.remote, isPush: false)
    let said = summary.moves.filter { $0.kind != .deletedThere }
    let received =
      "\(Quantity.bytes(summary.receivedBytes)) "
      + (summary.isCommitted ? "received" : "would be received")
    guard let only = said.first else {
      let bytes = summary.receivedBytes == 0 ? "" : "; " + received
      return lines + ["nothing new in \(remote), which has \(Quantity.count(summary.names, "state"))\(bytes)"]
    }
    // A name may have come, and have another value there.
    let names = Set(said.map(\.name)).count
    let what = names == 1 ? form.name(only.name) : Quantity.count(names, "state")
    return lines
      + ["\(summary.isCommitted ? "pulled" : "would pull") \(what) from \(remote): \(counts(said)); \(received)"]
  }

  /// For example `cloned 12 states into DIR; 41.0 MiB received`.
  func cloned(_ summary: CloneSummary, into folder: BytePath) -> String {
    "cloned \(Quantity.count(summary.fetch.names, "state")) into \(TerminalText.escaped(folder)); "
      + "\(Quantity.bytes(summary.fetch.receivedBytes)) received"
  }

  /// What a clone has to say of names that have several values there.
  func conflicts(_ summary: CloneSummary) -> [String] {
    moves(summary.fetch.moves.filter { $0.kind == .conflict }, of: summary.fetch.remote, isPush: false)
  }

  /// How each conflict can be settled.
  func settlings(_ moves: [RemoteMove], of remote: String) -> [String] {
    moves.filter { $0.kind == .conflict }.prefix(TransferText.mostLines).map {
      Advice.settle($0.name, $0.otherName ?? $0.name, of: remote)
    }
  }

  // MARK: Moves

  private func moves(_ moves: [RemoteMove], of remote: String, isPush: Bool, always: Bool = false) -> [String] {
    let plain = moves.filter { $0.kind == .created || $0.kind == .moved }
    let special = moves.filter { $0.kind != .created && $0.kind != .moved }
    let isShort = always || plain.count > 1 || form.showsFullIDs
    let shown = !isShort ? [] : form.showsFullIDs ? plain[...] : plain.prefix(TransferText.mostLines)
    var lines = shown.map(line)
    if isShort, shown.count < plain.count { lines.append("and \(plain.count - shown.count) more; -v lists all") }
    return lines + special.map { specialLine($0, remote, isPush) }
  }

  /// For example `moved big1 2ae4d1f5219b (was 0c3d…)`.
  private func line(_ move: RemoteMove) -> String {
    let before = move.before.map { " (was \(form.id($0)))" } ?? ""
    return "\(move.kind) \(form.name(move.name)) \(form.paintedID(move.snapshot))\(before)"
  }

  private func specialLine(_ move: RemoteMove, _ remote: String, _ isPush: Bool) -> String {
    switch move.kind {
    case .conflict:
      let other = other(of: move, remote)
      return "\(form.name(move.name)) was also moved by \(machine(other)): that one is \(form.name(other))"
    case .deletedThere:
      return "\(form.name(move.name)) was deleted from \(form.name(remote)), and "
        + (isPush ? "is not brought back until it moves here" : "is kept here")
    default: return line(move)
    }
  }

  private func other(of move: RemoteMove, _ remote: String) -> String { "\(remote)/\(move.otherName ?? move.name)" }

  /// Who moved a state of the remote; `another machine` when that is not known.
  private func machine(_ name: String) -> String {
    states.first { $0.name == name }.map { TerminalText.escaped($0.host) } ?? "another machine"
  }

  /// For example `2 created, 1 moved`; of one move that is named beside it, only the word.
  private func counts(_ moves: [RemoteMove], named: Bool = true) -> String {
    let isAlone = named && moves.count == 1
    let words: [(RemoteMove.Kind, String)] = [
      (.created, "created"), (.moved, "moved"), (.conflict, "in conflict"), (.deletedThere, "deleted"),
    ]
    return words.compactMap { kind, word in
      let count = moves.count { $0.kind == kind }
      return count == 0 ? nil : isAlone && kind != .conflict ? word : "\(count) \(word)"
    }.joined(separator: ", ")
  }

  private func verb(_ summary: PushSummary, _ word: String) -> String {
    summary.isCommitted ? word : "would be \(word)"
  }
}
