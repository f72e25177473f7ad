// A drawing of words with undo and redo that outlive the program.

import MementoKit

@main
struct DrawingBoard {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    guard let folder = words.first else {
      print("usage: DrawingBoard FOLDER [draw SHAPE | undo | redo]…")
      return
    }
    let caretaker = try RepositoryCaretaker(at: folder)
    let history = try History(restoring: "drawing", from: caretaker, orStartingWith: [String]())

    var rest = words.dropFirst()
    while let command = rest.popFirst() {
      switch command {
      case "draw": history.save(history.current + [rest.popFirst() ?? "dot"])
      case "undo": if !history.undo() { print("nothing to undo") }
      case "redo": if !history.redo() { print("nothing to redo") }
      default: print("what is \(command)?")
      }
    }
    // What was drawn is kept in the background; this waits for it, and says when it could not be kept.
    try history.flush()
    let drawing = history.current.isEmpty ? "(empty)" : history.current.joined(separator: " ")
    print("\(drawing); step \(history.index + 1) of \(history.states.count)")
  }
}
