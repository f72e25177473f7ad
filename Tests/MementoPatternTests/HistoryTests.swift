import Observation
import Synchronization
import TestSupport
import Testing

@testable import MementoPattern

@Suite struct HistoryTests {
  @Test func undoAndRedo() {
    let history = History("a")
    #expect(history.current == "a" && history.index == 0 && !history.canUndo && !history.canRedo)
    history.save("b")
    history.save("c")
    #expect(history.states == ["a", "b", "c"] && history.index == 2 && history.canUndo && !history.canRedo)
    #expect(history.undo() && history.current == "b" && history.canRedo)
    #expect(history.undo() && history.current == "a")
    #expect(!history.undo() && history.current == "a")
    #expect(history.redo() && history.redo() && history.current == "c")
    #expect(!history.redo())
  }

  @Test func savingDropsWhatCouldBeRedone() {
    let history = History(0)
    for value in 1...4 { history.save(value) }
    history.undo()
    history.undo()
    history.save(9)
    #expect(history.states == [0, 1, 2, 9] && history.current == 9 && !history.canRedo)
  }

  @Test func limit() {
    let history = History(0, limit: 3)
    for value in 1...1000 { history.save(value) }
    #expect(history.states == [998, 999, 1000] && history.index == 2)
    #expect(history.undo() && history.undo() && !history.undo())
    #expect(history.current == 998 && history.states == [998, 999, 1000])
    history.save(5)
    #expect(history.states == [998, 5])
    let single = History(1, limit: 0)
    single.save(2)
    #expect(single.states == [2] && !single.canUndo)
  }

  /// Against the simplest thing that is right.
  @Test(arguments: [nil, 1, 2, 7]) func againstAModel(_ limit: Int?) {
    var random = SplitMix64(seed: 3)
    let history = History(0, limit: limit)
    var states = [0]
    var index = 0
    for step in 1...3000 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        #expect(history.undo() == (index > 0))
        index = max(0, index - 1)
      case 2:
        #expect(history.redo() == (index + 1 < states.count))
        index = min(states.count - 1, index + 1)
      default:
        history.save(step)
        states = states[...index] + [step]
        if let limit, states.count > limit { states.removeFirst() }
        index = states.count - 1
      }
      #expect(history.states == states && history.index == index && history.current == states[index])
      #expect(history.canUndo == (index > 0) && history.canRedo == (index + 1 < states.count))
    }
  }

  @Test func canBeObserved() {
    let history = History("a")
    let changes = Mutex(0)
    func track() {
      withObservationTracking {
        _ = history.current
        _ = history.canUndo
      } onChange: {
        changes.withLock { $0 += 1 }
      }
    }
    track()
    history.save("b")
    #expect(changes.withLock { $0 } == 1)
    history.save("c")
    #expect(changes.withLock { $0 } == 1)
    track()
    history.undo()
    #expect(changes.withLock { $0 } == 2)
    track()
    while history.undo() {}
    let seen = changes.withLock { $0 }
    track()
    // Nothing to undo: nothing has changed, and nobody is told.
    history.undo()
    #expect(changes.withLock { $0 } == seen)
  }

  @Test func fromManyTasks() async {
    let history = History(0)
    await withTaskGroup(of: Void.self) { group in
      for value in 1...200 { group.addTask { history.save(value) } }
    }
    #expect(history.states.count == 201 && Set(history.states).count == 201)
  }
}
