// Groups of hard links, and how they change between snapshots.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct HardLinkTests {
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Changes the folder, in which a, b and c are one file, d and e another, and f a file of its own.
    let make: @Sendable (FolderTools) throws -> Void

    init(_ name: String, _ make: @escaping @Sendable (FolderTools) throws -> Void) {
      testDescription = name
      self.make = make
    }
  }

  private static func separate(_ folder: FolderTools, _ name: String) throws {
    let content = try folder.read(name.bytes)
    try folder.remove(name.bytes)
    try folder.write(name.bytes, content)
    try folder.setTime(name.bytes, 1_000_000_000)
  }

  private static func join(_ folder: FolderTools, _ name: String, _ other: String) throws {
    try folder.remove(name.bytes)
    try folder.makeHardLink(name.bytes, to: other.bytes)
  }

  /// A restored path leads through a folder of the snapshot where the present folder has one of the linked names.
  @Test func aFolderThatTakesThePlaceOfANameIsInNoGroup() throws {
    let shop = try RepositoryFixture()
    try shop.write("name/inner", "name/outer", "other")
    try shop.save("folders")
    for gone in ["name/inner", "name/outer", "name"] { try shop.folder.remove(gone.bytes) }
    for name in ["name", "third"] { try shop.folder.makeHardLink(name.bytes, to: "other".bytes) }
    try shop.save("links")
    try shop.restore("folders") { $0.paths = [BytePath("name/inner")] }
    let state = try shop.state
    let (copy, summary) = try shop.extract("@", to: "copy")
    #expect(summary.problems == [])
    #expect(try Manifest(copy).differences(from: state) == [])
    _ = try shop.reopened().undo()
    _ = try shop.reopened().redo()
    #expect(try shop.state.differences(from: state) == [])
  }

  /// The restore leads to the content that its guard has saved.
  @Test func whatIsExtraBesideLinksIsKept() throws {
    let shop = try RepositoryFixture()
    try shop.write("name")
    try shop.folder.makeHardLink("other".bytes, to: "name".bytes)
    try shop.save("links")
    try shop.write("extra")
    let summary = try shop.restore("links") { $0.keepExtra = true }
    #expect(summary.guard != nil)
    let state = try shop.state
    #expect(try shop.folder.names().count == 4)
    #expect(try shop.repository.status().changes == [])
    let (copy, _) = try shop.extract("@", to: "copy")
    // The time of the folder itself may differ, because making `.memento` changes it.
    #expect(try FolderTree(Manifest(copy)).differences(from: FolderTree(state)) == [])
  }

  static let changes = [
    Change("nothing") { _ in },
    Change("a group shrinks") { try separate($0, "c") },
    Change("a group shrinks by its first name") { try separate($0, "a") },
    Change("a group ends") { for name in ["a", "b", "c"] { try separate($0, name) } },
    Change("a group loses a name") { try $0.remove("b".bytes) },
    Change("a group loses its folder") { try $0.remove("x".bytes) },
    Change("a group grows") { try join($0, "f", "a") },
    Change("two groups become one") { for name in ["d", "x/e"] { try join($0, name, "a") } },
    Change("a name goes to another group") { try join($0, "d", "a") },
    Change("the content changes under all names") { try $0.write("b".bytes, "changed".bytes) },
    Change("the mode changes under all names") { try $0.setMode("b".bytes, 0o600) },
    Change("the time changes under all names") { try $0.setTime("b".bytes, 5) },
    Change("content and groups change") {
      try $0.write("b".bytes, "changed".bytes)
      try separate($0, "c")
    },
    Change("the mode of a group and another group change") {
      try $0.setMode("b".bytes, 0o600)
      try join($0, "f", "d")
    },
    Change("a name becomes a folder") {
      try $0.remove("a".bytes)
      try $0.makeFolder("a".bytes)
    },
    Change("all is gone") { try $0.empty() },
  ]

  private func fill(_ folder: FolderTools) throws {
    try folder.makeFolder("x".bytes)
    try folder.write("a".bytes, "one".bytes)
    try folder.makeHardLink("b".bytes, to: "a".bytes)
    try folder.makeHardLink("c".bytes, to: "a".bytes)
    try folder.write("d".bytes, "two".bytes)
    try folder.makeHardLink("x/e".bytes, to: "d".bytes)
    try folder.write("f".bytes, "one".bytes)
    for name in ["a", "d", "f"] { try folder.setTime(name.bytes, 1_000_000_000) }
  }

  @Test(arguments: changes)
  func groupsComeBack(_ change: Change) throws {
    let shop = try RepositoryFixture()
    try fill(shop.folder)
    try shop.save("before")
    let before = try shop.state
    try change.make(shop.folder)
    try shop.save("after")
    let after = try shop.state
    try shop.restore("before")
    #expect(try shop.state.differences(from: before) == [])
    try shop.restore("after")
    #expect(try shop.state.differences(from: after) == [])
    #expect(try Manifest(shop.extract("after", to: "copy").0).differences(from: after) == [])
    #expect(try Manifest(shop.extract("before", to: "copy 2").0).differences(from: before) == [])
  }

  /// Unsaved groups are restored, too, because a guard records them. Names in the folder remain one file only if none
  /// of them was taken from the snapshot.
  @Test(arguments: changes)
  func groupsWithWhatIsKept(_ change: Change) throws {
    let shop = try RepositoryFixture()
    try fill(shop.folder)
    let filled = FolderTree(try shop.state)
    try shop.save("filled")
    try change.make(shop.folder)
    let changed = FolderTree(try shop.state)
    try shop.save("changed")
    for (from, to, name) in [(changed, filled, "filled"), (filled, changed, "changed")] {
      try shop.restore(Revision(name)) { $0.keepExtra = true }
      let expected = from.restoring([], from: to, keepExtra: true)
      #expect(FolderTree(try shop.state).differences(from: expected) == [])
      let (copy, summary) = try shop.extract("@", to: "copy of \(name)")
      #expect(FolderTree(try Manifest(copy)).differences(from: expected) == [])
      #expect(summary.problems == [])
      try shop.restore(Revision(name))
    }
  }

  @Test(arguments: changes)
  func theGuardKeepsGroups(_ change: Change) throws {
    let shop = try RepositoryFixture()
    try fill(shop.folder)
    try shop.save("before")
    try change.make(shop.folder)
    let after = try shop.state
    let restored = try shop.restore("before")
    guard restored.guard != nil else {
      #expect(try shop.state.differences(from: after) == [])
      return
    }
    try shop.restore("@~1")
    #expect(try shop.state.differences(from: after) == [])
  }

  /// A file with a name outside of the folder must not be changed in place.
  @Test(arguments: [1, 2], [0, 1, 2, 3, 4])
  func anInodeWithANameOutsideStaysAsItIs(_ names: Int, _ change: Int) throws {
    let shop = try RepositoryFixture()
    let folder = shop.folder
    try folder.write("a".bytes, "content".bytes, mode: 0o644)
    if names == 2 { try folder.makeHardLink("b".bytes, to: "a".bytes) }
    try shop.save("before")
    let before = try shop.state
    switch change {
    case 0: try folder.setMode("a".bytes, 0o600)
    case 1: try folder.setTime("a".bytes, 1_000_000)
    case 2: try folder.setAttribute("a".bytes, "user.test", "new".bytes)
    case 3: try folder.write("a".bytes, "CONTENT".bytes)
    default: try folder.write("a".bytes, "other content".bytes)
    }
    try shop.directory.descriptor.link(
      "work/a".bytes, to: "outside/alias".bytes, in: shop.directory.descriptor)
    let outside = try Manifest(shop.outside)
    try shop.restore("before")
    #expect(try shop.state.differences(from: before) == [])
    #expect(try Manifest(shop.outside).differences(from: outside) == [])
  }

  @Test func anUntouchedFileWithANameOutsideKeepsItsInode() throws {
    let shop = try RepositoryFixture()
    try shop.folder.write("a".bytes, "content".bytes)
    try shop.directory.descriptor.link("work/a".bytes, to: "outside/alias".bytes, in: shop.directory.descriptor)
    try shop.folder.write("other".bytes, "1".bytes)
    try shop.save("before")
    let before = try shop.state
    try shop.folder.write("other".bytes, "2".bytes)
    try shop.restore("before")
    #expect(try shop.state.touched(since: before).contains("a") == false)
  }
}
