// Asks about a patch, piece by piece, with the keys of `git restore -p`. The answers are lines of standard input, so a
// script can give them. The end of the input is as `q`.

import MementoKit

struct PatchQuestions {
  let session: Session
  let patch: RestorePatch
  private let text: PatchText
  private(set) var problems: [Problem] = []
  private var hasQuit = false

  init(_ session: Session, _ patch: RestorePatch) {
    self.session = session
    self.patch = patch
    text = PatchText(form: session.form)
  }

  /// Asks about all changes. Returns what was chosen.
  mutating func ask() throws -> [PatchChoice] {
    var choices: [PatchChoice] = []
    for change in patch.changes {
      try session.checkInterruption()
      let content = try patch.content(of: change)
      if let failure = content.failure {
        problems.append(Problem(path: change.path, message: failure))
        continue
      }
      if let choice = try ask(change, content) { choices.append(choice) }
      if hasQuit { break }
    }
    return choices
  }

  /// Asks about one file. Nil when nothing of it was chosen.
  private mutating func ask(_ change: FileChange, _ content: ContentDiff) throws -> PatchChoice? {
    var choices = PieceChoices(PatchQuestions.pieces(of: change, content))
    if case .whole = choices.piece {
      for half in change.halves {
        try text.write(half, change.halves.count > 1 ? try patch.content(of: half) : content) { try session.write($0) }
      }
    } else {
      try text.writeHeading(change, content) { try session.write($0) }
      try show(choices, content)
    }
    while !choices.isDone, !hasQuit {
      let keys = PatchQuestions.keys(choices)
      try session.ask(question(change, choices, keys))
      guard let line = try session.readNextLine() else {
        try session.ask("\n")
        hasQuit = true
        break
      }
      if try take(PatchAnswer(line), keys, &choices, content), !choices.isDone, !hasQuit { try show(choices, content) }
    }
    return try choice(choices.chosen, of: change, content)
  }

  /// The pieces of a change.
  private static func pieces(of change: FileChange, _ content: ContentDiff) -> [PatchPiece] {
    guard change.old?.type == change.new?.type, change.old?.type != .link else { return [.whole] }
    if change.kind == .metadata { return [.metadata] }
    guard let diff = content.text, !diff.isEmpty else { return [.whole] }
    return (change.changesMetadata ? [.metadata] : []) + diff.hunks(context: 3).map { .hunk($0) }
  }

  private func choice(
    _ chosen: [PatchPiece], of change: FileChange, _ content: ContentDiff
  ) throws -> PatchChoice? {
    var hunks: [TextDiff.Hunk] = []
    var edited: [TextDiff.HunkEdit] = []
    var withMetadata = false
    for piece in chosen {
      switch piece {
      case .whole: return .whole(change)
      case .metadata: withMetadata = true
      case .hunk(let hunk): hunks.append(hunk)
      case .edited(_, let edit): edited.append(edit)
      }
    }
    guard let diff = content.text, !hunks.isEmpty || !edited.isEmpty else {
      return withMetadata ? .metadata(of: change) : nil
    }
    return try .hunks(hunks, edited: edited, of: diff, in: change, withMetadata: withMetadata)
  }

  // MARK: Questions

  private func show(_ choices: PieceChoices, _ content: ContentDiff) throws {
    if let hunk = choices.piece.hunk, let diff = content.text {
      try text.write(hunk, of: diff) { try session.write($0) }
    }
  }

  private func question(_ change: FileChange, _ choices: PieceChoices, _ keys: String) -> String {
    let count = choices.pieces.count > 1 ? "(\(choices.place + 1)/\(choices.pieces.count)) " : ""
    return "\(count)\(PatchQuestions.words(change, choices.piece)) [\(keys.map { "\($0)" }.joined(separator: ","))]? "
  }

  private static func words(_ change: FileChange, _ piece: PatchPiece) -> String {
    switch piece {
    case .metadata: return "Apply this change of mode, owner or attributes"
    case .hunk: return "Apply this hunk to the folder"
    case .edited: return "Apply this hunk to the folder as you have edited it"
    case .whole: break
    }
    switch (change.old?.type, change.new?.type) {
    case (nil, let type?): return "Create this \(noun(type))"
    case (let type?, nil): return "Remove this \(noun(type))"
    case (.directory?, let type?): return "Replace this folder, with all that is in it, by a \(noun(type))"
    case (let old?, let new?) where old == new: return "Replace this \(noun(old))"
    case (let old?, let new?): return "Replace this \(noun(old)) by a \(noun(new))"
    default: return "Apply this change"
    }
  }

  private static func noun(_ type: FileType) -> String {
    switch type {
    case .directory: "folder"
    case .characterDevice, .blockDevice: "device"
    default: type.description
    }
  }

  /// The keys that mean something here.
  private static func keys(_ choices: PieceChoices) -> String {
    var keys = "ynqad"
    if choices.next != nil { keys += "j" }
    if choices.place + 1 < choices.pieces.count { keys += "J" }
    if choices.previous != nil { keys += "k" }
    if choices.place > 0 { keys += "K" }
    if choices.pieces.count > 1 { keys += "g/" }
    if case .hunk(let hunk) = choices.piece, hunk.isSplittable { keys += "s" }
    if choices.piece.hunk != nil { keys += "ep" }
    return keys + "?"
  }

  // MARK: Answers

  /// Does what an answer says. Returns whether there is something else to show.
  private mutating func take(
    _ answer: PatchAnswer, _ keys: String, _ choices: inout PieceChoices, _ content: ContentDiff
  ) throws -> Bool {
    let key: Character
    switch answer {
    case .nothing: return false
    case .unknown(let text):
      try session.ask("'\(text)' is no answer here; ? shows the keys\n")
      return false
    case .key(let given, _): key = given
    case .search: key = "/"
    }
    guard keys.contains(key) else {
      try session.ask(PatchAnswer.refusal(key) + "\n")
      return false
    }
    switch key {
    case "y", "n": choices.decide(key == "y")
    case "a", "d": choices.decide(key == "a", andLater: true)
    case "q":
      hasQuit = true
      return false
    case "j": return choices.go(to: choices.next)
    case "k": return choices.go(to: choices.previous)
    case "J": return choices.go(to: choices.place + 1)
    case "K": return choices.go(to: choices.place - 1)
    case "g": return try goTo(answer.number, &choices, content)
    case "/": return try search(answer, &choices, content)
    case "s":
      guard case .hunk(let hunk) = choices.piece, let diff = content.text else { return false }
      let hunks = diff.split(hunk)
      choices.split(into: hunks)
      try session.ask("Split into \(hunks.count) hunks.\n")
    case "e": return try edit(&choices, content)
    case "p": break
    default:
      try session.ask(PatchAnswer.help(keys))
      return false
    }
    return true
  }

  /// Lets the user change a hunk in an editor. What fits is chosen.
  private func edit(_ choices: inout PieceChoices, _ content: ContentDiff) throws -> Bool {
    guard let hunk = choices.piece.hunk, let diff = content.text else { return false }
    switch try HunkEditor(session).edit(hunk, of: diff) {
    case .edited(let edit):
      choices.choose(edit, of: hunk)
      return true
    case .unchanged(let reason):
      try session.ask(reason + "\n")
      return false
    }
  }

  /// Goes to a hunk by its number. Without one, lists the hunks and asks for it.
  private func goTo(_ number: Int?, _ choices: inout PieceChoices, _ content: ContentDiff) throws -> Bool {
    var number = number
    if number == nil {
      for (index, piece) in choices.pieces.enumerated() {
        let mark = choices.decisions[index].map { $0 ? "+" : "-" } ?? " "
        try session.ask("\(mark)\(index + 1): \(summary(piece, content))\n")
      }
      try session.ask("go to which hunk? ")
      number = PatchAnswer.number(try session.readNextLine() ?? [])
    }
    if let number, number > 0, choices.go(to: number - 1) { return true }
    try session.ask("there is no such hunk: 1 to \(choices.pieces.count)\n")
    return false
  }

  /// Goes to the next hunk, after the last one to the first, that has a line which matches.
  private func search(_ answer: PatchAnswer, _ choices: inout PieceChoices, _ content: ContentDiff) throws -> Bool {
    guard case .search(var bytes) = answer, let diff = content.text else { return false }
    if bytes.isEmpty {
      try session.ask("search for which regular expression? ")
      bytes = try session.readLine()
      if bytes.isEmpty { return false }
    }
    let pattern: SearchPattern
    do {
      pattern = try SearchPattern(regularExpression: bytes)
    } catch {
      try session.ask(error.message + "\n")
      return false
    }
    let count = choices.pieces.count
    for step in 1...count {
      let index = (choices.place + step) % count
      if let hunk = choices.pieces[index].hunk, try diff.hasMatch(of: pattern, in: hunk) {
        return choices.go(to: index)
      }
    }
    try session.ask("no hunk of this file matches\n")
    return false
  }

  /// The place of a piece and the first line that it changes.
  private func summary(_ piece: PatchPiece, _ content: ContentDiff) -> String {
    guard let hunk = piece.hunk, let diff = content.text else { return "mode, owner or attributes" }
    var first: String?
    diff.forEachLine(of: hunk) { origin, line in
      if first == nil, origin != .both {
        let isEnded = line.last == UInt8(ascii: "\n")
        first = (origin == .old ? "-" : "+") + VisibleContent.line(isEnded ? line.dropLast() : line)
      }
    }
    return "\(PatchText.place(of: hunk)) \(first ?? "")"
  }
}
