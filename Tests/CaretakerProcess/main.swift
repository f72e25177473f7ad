// A program that uses the library, so that tests can end it, kill it, and run several at once.

import MementoKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct Note: Memento {
  let text: String
  let number: Int
  var data: [String: Any] { ["text": text, "number": number] }

  init(text: String, number: Int) {
    self.text = text
    self.number = number
  }

  init?(data: [String: Any]) {
    guard let text = data["text"] as? String, let number = data["number"] as? Int else { return nil }
    self.init(text: text, number: number)
  }
}

/// `FOLDER save NAME TEXT COUNT`: saves COUNT times under one name; `FOLDER spread PREFIX COUNT`: under COUNT names, each
/// named on standard output when it is safe; `FOLDER show NAME`; `FOLDER watch NAME COUNT`: reads COUNT times and fails
/// when a value is not whole; `FOLDER step undo|redo|save [TEXT]`: one step of a kept history, and where it stands;
/// `FOLDER fill PREFIX COUNT`: COUNT values beside the states of a folder, in one commit, each of which is its name.
func run(_ words: [String]) throws {
  if words[1] == "fill" {
    let names = (0..<(Int(words[3]) ?? 1)).map { "\(words[2]) \($0)" }
    try Repository.find(from: BytePath(words[0])).saveValues(names.map { NamedValue(name: $0, bytes: Array($0.utf8)) })
    return
  }
  let caretaker = try RepositoryCaretaker(at: words[0])
  switch words[1] {
  case "save":
    for number in 1...(Int(words[4]) ?? 1) {
      try caretaker.save(memento: Note(text: words[3], number: number), for: words[2])
    }
  case "spread":
    for number in 1...(Int(words[3]) ?? 1) {
      try caretaker.save(memento: Note(text: words[2], number: number), for: "\(words[2])-\(number)")
      print("\(words[2])-\(number)")
      // Now, and not when a buffer is full: it may be killed before.
      fflush(nil)
    }
  case "show":
    let note: Note? = try caretaker.restore(state: words[2])
    print(note.map { "\($0.text) \($0.number)" } ?? "nothing")
  case "watch":
    for _ in 1...(Int(words[3]) ?? 1) {
      guard let note: Note = try caretaker.restore(state: words[2]) else { fatalError("half a value") }
      guard note.text.utf8.count == 50_000 else { fatalError("a part of a value") }
    }
  case "step":
    let history = try History(restoring: "steps", from: caretaker, orStartingWith: "start")
    switch words[2] {
    case "undo": history.undo()
    case "redo": history.redo()
    default: history.save(words[3])
    }
    try history.flush()
    print(history.index, history.states.joined(separator: " "))
  default: fatalError("no such word")
  }
}

try run(Array(CommandLine.arguments.dropFirst()))
