import TestSupport
import Testing

@testable import MementoPattern

@Suite struct TimelineTests {
  /// A text and its cursor.
  final class Editor: Originator {
    var text = ""
    func save() -> Parts { Parts(["text": text]) }
    func restore(_ memento: Parts) { text = memento.data["text"] as? String ?? "" }
  }

  @Test func nothingToUndoAtFirst() throws {
    let timeline = Timeline(of: Editor(), in: InMemoryCaretaker())
    #expect(try !timeline.undo() && !timeline.redo())
    try timeline.backup()
    #expect(try !timeline.undo() && !timeline.redo())
  }

  @Test func unsavedChangesAreAStepOfTheirOwn() throws {
    let timeline = Timeline(of: Editor(), in: InMemoryCaretaker())
    timeline.originator.text = "one"
    try timeline.backup("first")
    timeline.originator.text = "two"
    #expect(try timeline.undo())
    #expect(timeline.originator.text == "one")
    #expect(timeline.history.map(\.name) == ["first", "backup 2"])
    #expect(try timeline.redo())
    #expect(timeline.originator.text == "two")
  }

  @Test func aBackupDropsWhatCouldBeRedone() throws {
    let caretaker = InMemoryCaretaker()
    let timeline = Timeline(of: Editor(), in: caretaker)
    for text in ["a", "b", "c"] {
      timeline.originator.text = text
      try timeline.backup(text)
    }
    #expect(try timeline.undo() && timeline.undo())
    timeline.originator.text = "d"
    #expect(try !timeline.redo())
    try timeline.backup("d")
    #expect(timeline.history.map(\.name) == ["a", "d"])
    // The caretaker still has what the timeline dropped.
    #expect(caretaker.states.keys.sorted() == ["a", "b", "c", "d"])
  }

  @Test func namesInUseAreLeftAlone() throws {
    let caretaker = InMemoryCaretaker()
    try caretaker.save(memento: Parts(["text": "mine"]), for: "backup 1")
    let timeline = Timeline(of: Editor(), in: caretaker)
    #expect(try timeline.backup().name == "backup 2")
    #expect((caretaker.restore(state: "backup 1") as Parts?)?.data["text"] as? String == "mine")
  }

  @Test func aLostBackupChangesNothing() throws {
    let caretaker = InMemoryCaretaker()
    let timeline = Timeline(of: Editor(), in: caretaker)
    timeline.originator.text = "a"
    try timeline.backup("a")
    timeline.originator.text = "b"
    try timeline.backup("b")
    try caretaker.delete(state: "a")
    #expect(try !timeline.undo())
    #expect(timeline.originator.text == "b")
  }

  @Test func aBackupOfWhatIsKeptDropsNothing() throws {
    let caretaker = InMemoryCaretaker()
    let timeline = Timeline(of: Editor(), in: caretaker)
    for text in ["a", "b"] {
      timeline.originator.text = text
      try timeline.backup(text)
    }
    #expect(try timeline.undo())
    #expect(try timeline.backup() == timeline.history[0])
    #expect(try timeline.backup("again").name == "again")
    #expect(timeline.history.map(\.name) == ["again", "b"])
    #expect(caretaker.states.keys.sorted() == ["a", "again", "b"])
    #expect(try timeline.redo())
    #expect(timeline.originator.text == "b")
    // What the caretaker has lost is kept anew.
    try caretaker.delete(state: "b")
    #expect(try timeline.backup().name == "b")
    #expect(caretaker.states["b"] != nil)
  }
}
