// NAME~N and NAME@{DATE}: what a name meant before, after any operation on it.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct NameHistoryTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
  }

  private var repository: Repository { shop.repository }

  /// Saves the folder with new content and returns the snapshot.
  @discardableResult
  private func save(_ name: String? = nil) throws -> Snapshot {
    try shop.folder.write("file".bytes, Content.random(16, seed: UInt64(Clock.now().nanoseconds)))
    return try shop.save(name).snapshot
  }

  /// Gives an existing snapshot a name and returns the time.
  @discardableResult
  private func give(_ name: String, _ revision: String) throws -> SnapshotTime {
    _ = try repository.name(Revision(revision), as: name)
    return .now
  }

  private func meaning(_ revision: String) throws -> SnapshotID? {
    do throws(RepositoryError) {
      return try repository.snapshot(Revision(revision)).id
    } catch {
      guard error.code == .noSuchState else { throw error }
      return nil
    }
  }

  private func at(_ name: String, _ time: SnapshotTime) throws -> SnapshotID? {
    try meaning("\(name)@{\(time.rfc3339)}")
  }

  @Test func followsSaves() throws {
    let saves = try (0..<4).map { _ in try save("a") }
    for (number, snapshot) in saves.enumerated() {
      #expect(try meaning("a~\(3 - number)") == snapshot.id)
      #expect(try at("a", snapshot.time) == snapshot.id)
    }
    #expect(try meaning("a~4") == nil)
    let before = SnapshotTime(saves[0].time.timestamp.adding(seconds: -1))
    #expect(try at("a", before) == nil)
    #expect(try at("a", SnapshotTime(saves[3].time.timestamp.adding(seconds: 99999))) == saves[3].id)
    // Between the two saves the name still meant the first.
    #expect(
      try at("a", SnapshotTime(seconds: saves[1].time.seconds, nanoseconds: saves[1].time.nanoseconds - 1))
        == saves[0].id)
    #expect(try meaning("a@{0s}") == saves[3].id)
    #expect(try meaning("a@{1h}") == nil)
  }

  /// A snapshot that gets a second name has a record with the history of its first name.
  @Test func aGivenSnapshotDoesNotBringItsOwnHistory() throws {
    let a = try (0..<2).map { _ in try save("a") }
    let b = try (0..<2).map { _ in try save("b") }
    let beforeGiving = SnapshotTime.now
    let given = try give("b", "a")
    #expect(try meaning("b") == a[1].id)
    #expect(try meaning("b~1") == b[1].id)
    #expect(try meaning("b~2") == b[0].id)
    #expect(try meaning("b~3") == nil)
    #expect(try at("b", beforeGiving) == b[1].id)
    #expect(try at("b", given) == a[1].id)
    let later = try save("b")
    #expect(try (0...4).map { try meaning("b~\($0)") } == [later.id, a[1].id, b[1].id, b[0].id, nil])
    // Giving the same snapshot again does not change the meaning.
    try give("b", "b")
    #expect(try meaning("b~1") == a[1].id)
  }

  @Test func anOlderMeaningCanBeGivenAgain() throws {
    let a = try (0..<3).map { _ in try save("a") }
    try give("a", a[0].id.description)
    #expect(try (0...4).map { try meaning("a~\($0)") } == [a[0].id, a[2].id, a[1].id, a[0].id, nil])
  }

  @Test func aNameThatIsMadeAgainRemembers() throws {
    let first = try (0..<2).map { _ in try save("a") }
    let whileThere = SnapshotTime.now
    _ = try repository.delete(["a"])
    let whileGone = SnapshotTime.now
    #expect(try meaning("a~1") == nil)
    #expect(try at("a", whileThere) == first[1].id)
    #expect(try at("a", whileGone) == nil)
    let second = try save("a")
    #expect(try (0...3).map { try meaning("a~\($0)") } == [second.id, first[1].id, first[0].id, nil])
    #expect(try at("a", whileThere) == first[1].id)
    #expect(try at("a", whileGone) == nil)
    #expect(try at("a", second.time) == second.id)
  }

  @Test func aDeletedNameThatIsGivenBackIsAsBefore() throws {
    let a = try (0..<2).map { _ in try save("a") }
    _ = try repository.delete(["a"])
    try give("a", a[1].id.description)
    #expect(try (0...2).map { try meaning("a~\($0)") } == [a[1].id, a[0].id, nil])
  }

  @Test func aRenamedStateKeepsItsHistory() throws {
    let a = try (0..<2).map { _ in try save("a") }
    let before = SnapshotTime.now
    try repository.rename("a", to: "b")
    #expect(try (0...2).map { try meaning("b~\($0)") } == [a[1].id, a[0].id, nil])
    #expect(try at("b", before) == a[1].id)
    #expect(try at("b", a[0].time) == a[0].id)
    #expect(try meaning("a") == nil)
    #expect(try meaning("a~1") == nil)
    #expect(try at("a", before) == a[1].id)
    let b = try save("b")
    #expect(try (0...3).map { try meaning("b~\($0)") } == [b.id, a[1].id, a[0].id, nil])
    // Renames it back, and saves a new snapshot under the free name.
    try repository.rename("b", to: "a")
    let other = try save("b")
    #expect(try (0...3).map { try meaning("a~\($0)") } == [b.id, a[1].id, a[0].id, nil])
    #expect(try meaning("b") == other.id)
  }

  @Test func namesCanChangePlaces() throws {
    let a = try (0..<2).map { _ in try save("a") }
    let b = try (0..<2).map { _ in try save("b") }
    try repository.rename("a", to: "x")
    try repository.rename("b", to: "a")
    try repository.rename("x", to: "b")
    #expect(try (0...2).map { try meaning("a~\($0)") } == [b[1].id, b[0].id, nil])
    #expect(try (0...2).map { try meaning("b~\($0)") } == [a[1].id, a[0].id, nil])
    #expect(try at("a", b[0].time) == b[0].id)
    #expect(try at("b", a[0].time) == a[0].id)
  }

  /// gc must not change which snapshot NAME~N means.
  @Test func whatIsNotKeptIsSaidToBeGone() throws {
    for number in ["1", "2", "3"] {
      try shop.outside.write("value".bytes, number.bytes)
      let file = try Descriptor.open(shop.outside.path + "/value".bytes, .namedFile)
      _ = try repository.saveValue(readingFrom: file.raw, as: "v")
    }
    try give("kept", "v~2")
    let oldest = try #require(try meaning("kept"))
    _ = try repository.collectGarbage(emptyingTrash: true)
    let again = try shop.reopened()
    #expect(code { try again.snapshot("v~1") } == .noSuchState)
    #expect(try again.snapshot("v~2").id == oldest)
    #expect(code { try again.snapshot("v~3") } == .noSuchState)
  }

  /// Without the journal, the history follows `replaces`.
  @Test func withoutTheJournalSavesAreFollowed() throws {
    let a = try (0..<3).map { _ in try save("a") }
    try repository.rename("a", to: "b")
    try shop.storeFolder.remove("journal".bytes)
    #expect(try (0...3).map { try meaning("b~\($0)") } == [a[2].id, a[1].id, a[0].id, nil])
    #expect(try at("b", a[1].time) == a[1].id)
  }

  /// Two saves at the same time may write their lines in the other order.
  @Test func theOrderOfLinesIsNotBelieved() throws {
    let a = try (0..<4).map { _ in try save("a") }
    let lines = try shop.storeFolder.read("journal".bytes).split(separator: 0x0a).map { Array($0) + [0x0a] }
    for order in [[0, 1, 3, 2], [1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 2], [0, 3], [3], [1]] {
      try shop.storeFolder.write("journal".bytes, Array(order.map { lines[$0] }.joined()))
      #expect(try (0...4).map { try meaning("a~\($0)") } == [a[3].id, a[2].id, a[1].id, a[0].id, nil], "\(order)")
    }
  }

  /// Forged lines must not lead to missing snapshots, and the history must still end.
  @Test func forgedLinesEnd() throws {
    let a = try save("a")
    let lines = [
      "rename \(a.id) a b", "rename \(a.id) b a", "rename \(a.id) a a", "delete - a", "save - a", "name \(a.id) a",
      "rename \(a.id) a b", "rename \(a.id) b a", "save \(ObjectID.zero) a", "delete \(a.id) a",
    ]
    var journal = try shop.storeFolder.read("journal".bytes)
    for line in lines { journal += "\(a.time.rfc3339) x \(line)\n".bytes }
    try shop.storeFolder.write("journal".bytes, journal)
    for back in 0..<12 { _ = try meaning("a~\(back)") }
    #expect(try meaning("a") == a.id)
    _ = try meaning("a@{1h}")
    _ = try meaning("@{1h}")
    #expect(try repository.log().count == 1)
  }

  /// Compares every meaning at every time with a model.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func agreesWithAModel(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let names = ["a", "b", "c d"]
    // What each name meant, oldest first. A rename moves the whole list.
    var meanings: [String: [(since: SnapshotTime, id: SnapshotID?)]] = [:]
    func current(_ name: String) -> SnapshotID? { meanings[name]?.last?.id }
    for _ in 0..<60 {
      let name = names[Int(generator.next() % 3)]
      let other = names[Int(generator.next() % 3)]
      switch generator.next() % 5 {
      case 0, 1:
        let snapshot = try save(name)
        meanings[name, default: []].append((snapshot.time, snapshot.id))
      case 2 where current(other) != nil:
        _ = try repository.name(Revision(other), as: name)
        meanings[name, default: []].append((.now, current(other)))
      case 3 where current(name) != nil:
        _ = try repository.delete([name])
        meanings[name]?.append((.now, nil))
      case 4 where current(name) != nil && name != other:
        try repository.rename(name, to: other, force: true)
        meanings[other] = meanings[name]
        meanings[name]?.append((.now, nil))
      default: break
      }
    }
    for name in names {
      guard let history = meanings[name], let id = current(name) else { continue }
      var expected = [id]
      for meaning in history.reversed() {
        if let id = meaning.id, id != expected.last { expected.append(id) }
      }
      for (back, id) in expected.enumerated() { #expect(try meaning("\(name)~\(back)") == id, "\(name)~\(back)") }
      #expect(try meaning("\(name)~\(expected.count)") == nil)
    }
  }
}
