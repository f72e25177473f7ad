// A restore leaves ignored files alone. Where it must put something in their place, it saves them first.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct IgnoreRestoreTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    try shop.write("a.c", "src/b.c")
  }

  @Test func whatIsIgnoredStays() throws {
    try shop.rules("*.o\n/build/\n")
    try shop.save("one")
    try shop.write("a.o", "src/b.o", "build/x", "new", "new folder/x")
    let restored = try shop.restore("one")
    #expect(restored.removed == 2 && restored.folders.removed == 1)
    #expect(try shop.folder.read("a.o".bytes) == "a.o".bytes)
    #expect(shop.isThere("src/b.o") && shop.isThere("build/x"))
    #expect(!shop.isThere("new") && !shop.isThere("new folder"))
    #expect(try shop.repository.status().changes == [])
  }

  @Test(arguments: [true, false])
  func anExtraFolderWithIgnoredFilesStaysWithoutTheOthers(_ isDryRun: Bool) throws {
    try shop.rules("*.o\n")
    try shop.save("one")
    try shop.write("extra/in/x.o", "extra/in/x.c", "extra/in/deeper/y.c", "extra/y.c", "gone/x")
    let restored = try shop.restore("one") { $0.isDryRun = isDryRun }
    // Three files and a folder here, one of each there.
    #expect(restored.removed == 4 && restored.folders.removed == 2)
    #expect(restored.problems.map(\.path) == [BytePath("extra/in")])
    #expect(restored.problems.filter { !$0.isNote } == [])
    if isDryRun {
      #expect(
        restored.plan.filter { $0.action == .remove }.map(\.path.lossyText) == [
          "extra/in/deeper/", "extra/in/deeper/y.c", "extra/in/x.c", "extra/y.c", "gone/", "gone/x",
        ])
      return #expect(shop.isThere("extra/y.c"))
    }
    #expect(shop.isThere("extra/in/x.o"))
    #expect(!shop.isThere("extra/y.c") && !shop.isThere("extra/in/deeper") && !shop.isThere("gone"))
  }

  /// The snapshot has a path that is ignored now, and the folder has something else there.
  @Test(arguments: ["file", "same", "folder", "link"])
  func whatIsInTheWayIsSavedFirst(_ kind: String) throws {
    try shop.write("x.o", "keep.o")
    try shop.save("before")
    try shop.rules("*.o\n")
    try shop.write("other.o")
    try shop.save("after")
    #expect(try shop.paths("after") == [".mementoignore", "a.c", "src/", "src/b.c"])
    switch kind {
    case "file": try shop.folder.write("x.o".bytes, "precious".bytes)
    case "folder":
      try shop.folder.remove("x.o".bytes)
      try shop.write("x.o/precious", "x.o/more.o")
    case "link":
      try shop.folder.remove("x.o".bytes)
      try shop.folder.makeLink("x.o".bytes, to: "a.c".bytes)
    default: break
    }
    let present = try shop.state
    let planned = try shop.restore("before") { $0.isDryRun = true }
    #expect(planned.plan.contains { $0.path.bytes.starts(with: "x.o".bytes) } == (kind != "same"))
    #expect(try shop.state.touched(since: present) == [])
    let restored = try shop.restore("before")
    #expect((restored.guard != nil) == (kind != "same"))
    #expect(restored.problems == [])
    #expect(try shop.folder.read("x.o".bytes) == "x.o".bytes)
    #expect(try shop.folder.read("other.o".bytes) == "other.o".bytes)
    try shop.repository.undo()
    let differences = try shop.state.differences(from: present)
    #expect(differences == [])
  }

  @Test func aFolderInThePlaceOfAFileGoesWithAllThatIsInIt() throws {
    try shop.write("thing")
    try shop.save("before")
    try shop.folder.remove("thing".bytes)
    try shop.write("thing/x.o", "thing/deep/y.o", "thing/z")
    try shop.rules("*.o\n")
    try shop.save("after")
    let present = try shop.state
    let restored = try shop.restore("before")
    #expect(restored.problems == [])
    #expect(try shop.folder.read("thing".bytes) == "thing".bytes)
    try shop.repository.undo()
    #expect(try shop.state.differences(from: present) == [])
  }

  @Test func anIgnoredFolderIsFilledUp() throws {
    try shop.write("build/one", "build/two", "build/in/three")
    try shop.save("before")
    try shop.rules("build/\n")
    try shop.save("after")
    try shop.folder.remove("build/one".bytes)
    try shop.folder.write("build/two".bytes, "precious".bytes)
    try shop.write("build/mine")
    let present = try shop.state
    try shop.restore("before")
    #expect(try shop.folder.read("build/two".bytes) == "build/two".bytes)
    #expect(shop.isThere("build/one") && shop.isThere("build/in/three") && shop.isThere("build/mine"))
    try shop.repository.undo()
    #expect(try shop.folder.read("build/two".bytes) == "precious".bytes)
    #expect(shop.isThere("build/mine"))
    #expect(present.entries["build/mine".bytes] != nil)
  }

  @Test func aPartIsRestoredInTheSameWay() throws {
    try shop.write("x.o", "y.o")
    try shop.save("before")
    try shop.rules("*.o\n")
    try shop.save("after")
    for name in ["x.o", "y.o"] { try shop.folder.write(name.bytes, "precious".bytes) }
    let present = try shop.state
    try shop.restore("before") { $0.paths = [BytePath("x.o")] }
    #expect(try shop.folder.read("x.o".bytes) == "x.o".bytes)
    #expect(try shop.folder.read("y.o".bytes) == "precious".bytes)
    #expect(shop.isThere(".mementoignore"))
    try shop.repository.undo()
    #expect(try shop.state.differences(from: present) == [])
  }

  /// The rules in a restored snapshot also protect the files that they name.
  @Test func theRulesOfTheTargetCount() throws {
    try shop.rules("*.o\n")
    try shop.write("x.o")
    try shop.save("one")
    try shop.folder.remove(".mementoignore".bytes)
    try shop.write("new")
    try shop.restore("one")
    #expect(shop.isThere("x.o"))
    #expect(!shop.isThere("new"))
    #expect(try shop.repository.status().changes == [])
  }

  @Test func optionsLeaveAloneToo() throws {
    try shop.save("one")
    try shop.write("x.tmp", "y.log", "z")
    try shop.restore("one") { $0.ignoring.patterns = ["*.tmp".bytes, "y*".bytes] }
    #expect(shop.isThere("x.tmp") && shop.isThere("y.log") && !shop.isThere("z"))
  }

  /// A file that one save was told to leave out is not an unsaved change, and it is not removed.
  @Test func whatASaveLeftOutIsLeftAlone() throws {
    try shop.save("one")
    try shop.write("x.tmp", "b")
    try shop.save("two") { $0.ignoring.patterns = ["*.tmp".bytes] }
    #expect(try shop.repository.status().changes == [])
    let undone = try shop.repository.undo()
    #expect(undone.steps.map(\.name) == ["two"])
    #expect(shop.isThere("x.tmp") && !shop.isThere("b"))
    try shop.repository.redo()
    #expect(shop.isThere("x.tmp") && shop.isThere("b"))
    // The next save does not use these rules.
    try shop.save("three")
    #expect(try shop.paths("three").contains("x.tmp"))
    #expect(!shop.storeFolder.exists("rules"))
  }

  @Test func discardSavesNothing() throws {
    try shop.write("x.o")
    try shop.save("before")
    try shop.rules("*.o\n")
    try shop.save("after")
    try shop.folder.write("x.o".bytes, "worthless".bytes)
    let restored = try shop.restore("before") { $0.discard = true }
    #expect(restored.guard == nil)
    #expect(try shop.folder.read("x.o".bytes) == "x.o".bytes)
  }
}

extension FolderTools {
  func exists(_ name: String) -> Bool { (try? read(name.bytes)) != nil }
}
