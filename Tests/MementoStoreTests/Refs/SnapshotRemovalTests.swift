import MementoStore
import MementoSystem
import TestSupport
import Testing

/// Names, steps and entries of the trash go in one commit, or not at all.
struct SnapshotRemovalTests {
  private struct Refusal: Error {}

  private let fixture: StoreFixture
  private let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
  }

  private func id(_ number: Int) -> ObjectID { ObjectID(hashing: "\(number)".bytes) }

  /// `many`: so many that the trash has lists in files.
  private func prepare(_ many: Int) throws {
    _ = try store.refs.update(waiting: 10) { refs in
      for number in 1...3 {
        refs.timeline.append(
          TimelineStep(operation: .save, time: Timestamp(seconds: Int64(number), nanoseconds: 0), snapshot: id(number)))
      }
      for number in 1...3 { refs["n\(number)"] = id(number) }
      for number in 0..<many { refs["x\(number)"] = id(100 + number) }
      refs["again"] = id(1)
    }
    _ = try store.refs.update(waiting: 10) { refs in
      refs["again"] = nil
      for number in 0..<many { refs["x\(number)"] = nil }
    }
  }

  private func remove(_ numbers: [Int]) throws -> Int {
    let gone = Set(numbers.map(id))
    return try store.refs.removeForGood(holding: try store.folder.lockAlone(), waiting: 10) { refs in
      for number in numbers { refs["n\(number)"] = nil }
      let before = refs.timeline.steps.count
      refs.timeline.remove(gone)
      return (before - refs.timeline.steps.count, gone)
    }.get()
  }

  @Test(arguments: [2, 300]) func allGoesInOneCommit(_ many: Int) throws {
    try prepare(many)
    let before = try store.refs.read()
    #expect(try store.refs.trash(before).count == many + 1)
    #expect(try remove([1]) == 1)
    let refs = try store.refs.read()
    #expect(refs.generation == before.generation + 1)
    #expect(refs.timeline.steps.map(\.snapshot) == [id(2), id(3)] && refs.timeline.position == 1)
    #expect(refs["n1"] == nil && refs["n2"] == id(2) && refs.states.count == 2)
    // The trash has lost what it kept of that snapshot, and has got nothing.
    let trash = try store.refs.trash(refs)
    #expect(trash.count == many && trash.allSatisfy { $0.snapshot != id(1) })
    #expect(try fixture.files("tmp") == [])
    // A process of its own reads the same.
    #expect(try fixture.open().refs.read() == refs)
  }

  /// What others keep stays, also in the trash.
  @Test func whatIsNotGoneStays() throws {
    try prepare(2)
    let before = try store.refs.read()
    let done = try store.refs.removeForGood(holding: try store.folder.lockAlone(), waiting: 10) { refs in
      refs["n1"] = nil
      return (7, [])
    }
    #expect(done.get() == 7)
    let refs = try store.refs.read()
    #expect(refs["n1"] == nil && refs.timeline == before.timeline)
    // The name was taken away for good: nothing new is in the trash.
    #expect(try store.refs.trash(refs) == store.refs.trash(before))
  }

  @Test func anErrorChangesNothing() throws {
    try prepare(2)
    let before = try fixture.directory.read("refs")
    let done: Result<Int, Refusal> = try store.refs.removeForGood(
      holding: try store.folder.lockAlone(), waiting: 10
    ) { (refs) throws(Refusal) in
      refs["n1"] = nil
      throw Refusal()
    }
    #expect(throws: Refusal.self) { try done.get() }
    #expect(try fixture.directory.read("refs") == before)
  }

  /// A list of the trash cannot be read: what it says of the snapshot could not be removed, so nothing is.
  @Test func aTrashThatCannotBeReadStopsIt() throws {
    try prepare(300)
    let before = try fixture.directory.read("refs")
    for folder in ["trash", "backup"] {
      for name in try fixture.files(folder) where name != "refs" && name != "config" {
        try fixture.directory.write("\(folder)/\(name)", "noise".bytes)
      }
    }
    let again = try fixture.open()
    #expect(throws: StoreError.self) {
      _ = try again.refs.removeForGood(holding: try again.folder.lockAlone(), waiting: 10) { refs in
        refs["n1"] = nil
        return ((), [id(1)])
      }.get()
    }
    #expect(try fixture.directory.read("refs") == before)
  }
}
