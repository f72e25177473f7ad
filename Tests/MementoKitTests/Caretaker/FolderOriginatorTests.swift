import MementoKit
import TestSupport
import Testing

@Suite struct FolderOriginatorTests {
  @Test func aFolderIsAnOriginator() throws {
    let workshop = try RepositoryFixture()
    let folder = FolderOriginator(workshop.repository)
    let caretaker = RepositoryCaretaker(workshop.repository)
    try workshop.folder.write("file".bytes, "one".bytes)
    let before = try workshop.state
    let timeline = Timeline(of: folder, in: caretaker)
    try timeline.backup("start")
    #expect(folder.lastError == nil)
    #expect(folder.save() == folder.save())

    try workshop.folder.write("file".bytes, "two".bytes)
    try workshop.folder.write("more".bytes, "x".bytes)
    let after = try workshop.state
    #expect(try timeline.undo())
    #expect(try workshop.state.differences(from: before) == [])
    #expect(try timeline.redo())
    #expect(try workshop.state.differences(from: after) == [])
  }

  @Test func aFolderSaysWhatFailed() throws {
    let workshop = try RepositoryFixture()
    let folder = FolderOriginator(workshop.repository)
    let missing = String(repeating: "0", count: 64)
    let memento = try #require(FolderMemento(data: ["snapshot": missing]))
    folder.restore(memento)
    #expect(folder.lastError != nil)
    #expect(FolderMemento(data: ["snapshot": "x"]) == nil)
    _ = folder.save()
    #expect(folder.lastError == nil)
  }
}
