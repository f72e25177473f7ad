import MementoStore
import MementoSystem
import TestSupport
import Testing

/// Where snapshots are exchanged, nothing goes to the trash, and no file names the old ones.
struct SnapshotExchangeTests {
  private let fixture: StoreFixture
  private let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
  }

  private func id(_ number: Int) -> ObjectID { ObjectID(hashing: "\(number)".bytes) }

  private func step(_ number: Int, _ paths: [String] = []) -> TimelineStep {
    TimelineStep(
      operation: .save, time: Timestamp(seconds: Int64(number), nanoseconds: 0), snapshot: id(number),
      paths: paths.map(\.bytes))
  }

  /// Every text of the store.
  private func texts() throws -> String {
    var text = ""
    for name in ["refs", "refs.prev", "journal"] where try fixture.directory.names(".").contains(name) {
      text += String(decoding: try fixture.directory.read(name), as: UTF8.self)
    }
    for folder in ["states", "trash", "backup"] where try fixture.directory.names(".").contains(folder) {
      for name in try fixture.files(folder) {
        text += name + String(decoding: try fixture.directory.read("\(folder)/\(name)"), as: UTF8.self)
      }
    }
    return text
  }

  @Test(arguments: [3, 600])
  func everythingFollows(_ states: Int) throws {
    _ = try store.refs.update(waiting: 10) { refs in
      refs.timeline.append(step(1))
      refs.timeline.append(step(2, ["gone", "gone/in", "stays"]))
      refs.timeline.append(step(3, ["gone/in"]))
      for number in 0..<states { refs["n\(number)"] = id(number % 4) }
      refs["deleted"] = id(1)
    }
    _ = try store.refs.update(waiting: 10) { $0["deleted"] = nil }
    Journal(store.folder).append(
      (0..<4).map { number in
        JournalEntry(
          time: Timestamp(seconds: Int64(number), nanoseconds: 0), user: "u", operation: "save", snapshot: id(number),
          name: "n")
      })
    let before = try store.refs.read()
    let change = SnapshotExchange([id(1): id(101), id(3): id(103)], removing: PathFilter(["gone"]))
    let lock = try store.folder.lockAlone()
    try store.refs.exchange(change, holding: lock, waiting: 10)
    let refs = try store.refs.read()
    #expect(refs.timeline.steps.map(\.snapshot) == [id(101), id(2), id(103)])
    #expect(refs.timeline.steps.map(\.paths) == [[], ["stays".bytes], []])
    #expect(refs.timeline.steps.map(\.lived) == before.timeline.steps.map(\.lived) && refs.timeline.position == 2)
    #expect(refs.states.count == states && refs["n0"] == id(0) && refs["n1"] == id(101) && refs["n2"] == id(2))
    #expect(try store.refs.trash(refs).map(\.snapshot) == [id(101)])
    #expect(try store.refs.trash(refs).map(\.name) == ["deleted"])

    try store.refs.forgetEarlier(holding: lock, waiting: 10)
    try Journal(store.folder).exchange(change.snapshots)
    let texts = try texts()
    for number in [1, 3] {
      #expect(!texts.contains(id(number).description) && texts.contains(id(100 + number).description))
    }
    #expect(!texts.contains("gone"))
    let now = try store.refs.read()
    #expect(now.states == refs.states && now.timeline == refs.timeline && now.trash == refs.trash)
    var lines = try Journal(store.folder).newestFirst()
    #expect(try lines.next()?.snapshot == id(103))
    #expect(try fixture.files("tmp") == [])
  }

  @Test func aCopyThatCouldNotBeWrittenIsRemoved() throws {
    _ = try store.refs.update(waiting: 10) { $0["n"] = id(1) }
    // `refs` may have grown too long for the copy.
    try fixture.directory.write("backup/refs", "older \(id(1))".bytes)
    try fixture.directory.write("backup/\(id(9))", "a list".bytes)
    try fixture.directory.write("backup/other", "of somebody".bytes)
    try store.refs.forgetEarlier(holding: try store.folder.lockAlone(), waiting: 10)
    #expect(try Set(fixture.files("backup")).isSuperset(of: ["refs", "other"]))
    #expect(try !fixture.files("backup").contains("\(id(9))"))
    #expect(try fixture.directory.read("backup/refs") == fixture.directory.read("refs"))
  }

  @Test func linesThatAreNotUnderstoodStay() throws {
    let old = "noise\n\n2026 u save \(id(1)) a b c d\nx y z \(id(1))"
    try fixture.directory.write("journal", old.bytes)
    try Journal(store.folder).exchange([id(1): id(2)])
    let new = old.split(separator: "\(id(1))", omittingEmptySubsequences: false).joined(separator: "\(id(2))")
    #expect(try fixture.directory.read("journal") == new.bytes)
    try Journal(store.folder).exchange([id(7): id(8)])
    #expect(try fixture.directory.read("journal") == new.bytes)
  }
}
