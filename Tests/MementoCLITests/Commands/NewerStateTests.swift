import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoCLI
@testable import MementoKit

/// A state that a later version has saved keeps nobody from listing the others.
@Suite struct NewerStateTests {
  @Test func itIsListedWithTheReason() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let store = try Repository.find(from: BytePath(folder.path), options: OpenOptions()).store
    let packs = try store.packWriter()
    let writer = ObjectWriter(.packs(packs), store: store)
    let id = try writer.storeMeta("memento snapshot 2\nnobody knows\n".bytes)
    try writer.flush()
    try packs.finish()
    _ = try store.refs.update(waiting: 10) { $0["later"] = id }
    let list = try folder.memento("list")
    #expect(list.status == 1 && list.errors.contains("1 state was saved by a newer memento"), "\(list.errors)")
    let lines = list.output.split(separator: "\n")
    #expect(lines.count == 2 && lines.contains { $0.contains("one ") }, "\(list.output)")
    #expect(lines.contains { $0.contains("later") && $0.contains("newer memento") }, "\(list.output)")
    let document = try folder.memento("list", "--json")
    #expect(document.status == 1 && document.output.contains("\"problem\":"))
  }
}
