// Measures small values in a store, as a program keeps them: `memento-bench values FOLDER STATES SAVES`. Prints
// seconds.

import MementoKit
import MementoSystem

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

func seconds(_ body: () throws -> Void) rethrows -> Double {
  let start = Clock.monotonicSeconds()
  try body()
  return Clock.monotonicSeconds() - start
}

/// Saves values through one open caretaker, first one commit for each, then one commit for all. Then restores them.
func measureValues(folder: String, states: Int, saves: Int) throws {
  let caretaker = try RepositoryCaretaker(at: folder)
  let text = String(repeating: "value ", count: 29)
  func name(_ number: Int) -> String { "state \(number % states)" }
  try caretaker.batch { batch in
    for number in 0..<states { try batch.save(memento: Note(text: text, number: -number), for: name(number)) }
  }
  print(
    "saves",
    try seconds {
      for number in 0..<saves { try caretaker.save(memento: Note(text: text, number: number), for: name(number)) }
    })
  print(
    "batch",
    try seconds {
      try caretaker.batch { batch in
        for number in 0..<saves { try batch.save(memento: Note(text: text, number: saves + number), for: "b\(number)") }
      }
      try caretaker.batch { batch in for number in 0..<saves { try batch.delete(state: "b\(number)") } }
    } / 2)
  let reads = 10_000
  func read() throws {
    for number in 0..<reads {
      guard try caretaker.restore(state: name(number &* 7919)) as Note? != nil else { fatalError("a state is missing") }
    }
  }
  try read()
  print("restore", try seconds(read) / Double(reads))
  print("states", seconds { for _ in 0..<20 { _ = caretaker.states } } / 20)
}
