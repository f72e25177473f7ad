// What a repair of `refs` uses, and what it leaves alone.

import MementoSystem
import TestSupport
import Testing

@testable import MementoStore

struct RefsMendingTests {
  private let fixture: StoreFixture
  private let file: RefsFile

  init() throws {
    fixture = try StoreFixture()
    file = RefsFile(try fixture.folder())
  }

  private func id(_ number: Int) -> ObjectID { ObjectID(hashing: "\(number)".bytes) }

  private func read() throws -> Refs { try RefsFile(fixture.folder()).read() }

  /// A list that is whole is not moved away with `refs` that are damaged: `damaged/` holds what was found damaged.
  @Test func aListThatIsWholeStaysWhereItIs() throws {
    _ = try file.update(waiting: 10) { refs in refs.states.set((0..<600).map { ("state \($0)", id($0)) }) }
    let list = try fixture.onlyFile("states")
    let inode = try fixture.directory.status(list).inode
    let bytes = try fixture.directory.read("refs")
    try fixture.directory.write("refs", bytes + "x\n".bytes)
    #expect(try file.mend(waiting: 10) == .backup)
    #expect(try read().states.count == 600)
    #expect(try fixture.files("damaged") == ["refs"])
    #expect(try fixture.directory.status(list).inode == inode)
    // One that is damaged as well is kept there, and written again from its copy.
    try fixture.directory.write("refs", bytes + "x\n".bytes)
    try fixture.directory.write(list, "x\n".bytes)
    #expect(try file.mend(waiting: 10) == .backup)
    #expect(try read().states.count == 600)
    #expect(
      try fixture.files("damaged").sorted() == [String(list.dropFirst("states/".count)), "refs", "refs.1"].sorted())
  }

  /// `refs` that are too large for a copy leave the last copy as it is: older names are better than none.
  @Test func refsThatAreTooLargeLeaveTheCopyBefore() throws {
    _ = try file.update(waiting: 10) { $0["one"] = id(1) }
    let copy = try fixture.directory.read("backup/refs")
    let name = String(repeating: "p", count: 4000)
    let paths = (0..<1100).map { "\($0 + 1000)\(name)".bytes }
    _ = try file.update(waiting: 10) { refs in
      refs["two"] = id(2)
      refs.timeline.append(
        TimelineStep(operation: .restore, time: Timestamp(seconds: 5, nanoseconds: 6), snapshot: id(2), paths: paths))
    }
    #expect(try fixture.directory.read("refs").count > StoreBackup.longestRefs)
    #expect(try fixture.directory.read("backup/refs") == copy)
    for name in ["refs", "refs.prev"] { try fixture.directory.write(name, "x\n".bytes) }
    #expect(try file.mend(waiting: 10) == .backup)
    #expect(try read().states.map(\.name) == ["one"])
  }
}
