import MementoStore
import MementoSystem
import TestSupport
import Testing

struct RefsTests {
  private func id(_ number: Int) -> ObjectID { ObjectID(hashing: "\(number)".bytes) }

  private func step(_ number: Int) -> TimelineStep {
    TimelineStep(operation: .save, time: Timestamp(seconds: Int64(number), nanoseconds: 0), snapshot: id(number))
  }

  @Test func agreesWithADictionary() {
    var generator = SplitMix64(seed: 1)
    var refs = Refs()
    var model: [[UInt8]: ObjectID] = [:]
    for round in 0..<3000 {
      let name = "n\(generator.next() % 200)é"
      if generator.next() % 3 == 0 {
        refs[name] = nil
        model[name.bytes] = nil
      } else {
        refs[name] = id(round)
        model[name.bytes] = id(round)
      }
      #expect(refs[name] == model[name.bytes])
    }
    #expect(refs.states.map(\.name.bytes) == model.keys.sorted { $0.lexicographicallyPrecedes($1) })
    #expect(refs.states.allSatisfy { model[$0.name.bytes] == $0.snapshot })
  }

  @Test func namesDifferByTheirBytes() {
    var refs = Refs()
    refs["\u{e9}"] = id(1)
    refs["e\u{301}"] = id(2)
    #expect(refs.states.count == 2)
    #expect(refs["\u{e9}"] == id(1))
    #expect(refs["e\u{301}"] == id(2))
  }

  @Test func rootsAreAllThatIsKept() {
    var refs = Refs()
    #expect(refs.roots.isEmpty)
    refs["a"] = id(1)
    refs["b"] = id(1)
    refs.timeline.append(step(2))
    refs.timeline.append(step(3))
    let moved = refs.timeline.move(to: 0)
    #expect(moved)
    refs.pending = PendingRestore(target: id(4), before: id(5), staging: "restore-1", position: nil)
    #expect(refs.roots == Set([1, 2, 3, 4, 5].map(id)))
    refs.pending?.before = nil
    #expect(refs.roots == Set([1, 2, 3, 4].map(id)))
  }

  @Test func keepsTellsTheRoots() {
    var refs = Refs()
    refs["a"] = id(1)
    refs.timeline.append(step(2))
    refs.pending = PendingRestore(target: id(4), before: id(5), staging: "restore-1", position: nil)
    for number in 0..<8 { #expect(refs.keeps(id(number)) == refs.roots.contains(id(number)), "\(number)") }
  }

  @Test func namesAreFoundAndTakenAwayInOnePass() {
    var refs = Refs()
    for number in 0..<100 { refs["n\(number)"] = id(number % 10) }
    #expect(refs.states.names(of: []) == [:])
    #expect(
      refs.states.names(of: [id(3), id(3), id(77)]) == [
        id(3): (0..<10).map { "n\($0)3" }.map { $0 == "n03" ? "n3" : $0 }.sorted()
      ])
    refs["e\u{301}"] = id(1)
    refs["\u{e9}"] = id(2)
    refs.states.set((["\u{e9}", "nothing"] + (0..<99).map { "n\($0)" }).map { ($0, nil) })
    #expect(refs.states.map(\.name.bytes) == ["e\u{301}".bytes, "n99".bytes])
  }

  // MARK: Timeline

  @Test func aStepBecomesTheCurrentOne() {
    var timeline = FolderTimeline()
    #expect(timeline.current == nil)
    #expect(timeline.position == nil)
    for number in 0..<3 {
      timeline.append(step(number))
      #expect(timeline.current == step(number))
      #expect(timeline.position == number)
    }
  }

  @Test func whatWasUndoneIsDroppedByTheNextStep() {
    var timeline = FolderTimeline()
    for number in 0..<5 { timeline.append(step(number)) }
    let moved = timeline.move(to: 1)
    #expect(moved)
    #expect(timeline.current == step(1))
    #expect(timeline.steps.count == 5)
    timeline.append(step(9))
    #expect(timeline.steps == [step(0), step(1), step(9)])
    #expect(timeline.position == 2)
  }

  @Test(arguments: [-1, 3, Int.max, Int.min])
  func thereIsNoStepOutsideOfTheTimeline(_ index: Int) {
    var timeline = FolderTimeline()
    for number in 0..<3 { timeline.append(step(number)) }
    let moved = timeline.move(to: index)
    #expect(!moved)
    #expect(timeline.position == 2)
    #expect(FolderTimeline(steps: timeline.steps, position: index) == nil)
  }

  @Test func oldStepsAreDropped() {
    var timeline = FolderTimeline()
    for number in 0..<FolderTimeline.limit + 5 { timeline.append(step(number)) }
    #expect(timeline.steps.count == 1000)
    #expect(timeline.steps.first == step(5))
    #expect(timeline.current == step(1004))
    let moved = timeline.move(to: 0)
    #expect(moved)
    timeline.append(step(7))
    #expect(timeline.steps == [step(5), step(7)])
  }

  @Test func stepsNeedAPosition() {
    #expect(FolderTimeline(steps: [], position: nil) == FolderTimeline())
    #expect(FolderTimeline(steps: [], position: 0) == nil)
    #expect(FolderTimeline(steps: [step(1)], position: nil) == nil)
    #expect(FolderTimeline(steps: [step(1)], position: 0)?.current == step(1))
  }
}
