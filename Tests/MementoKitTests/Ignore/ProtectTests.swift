// `protect` in the config: such files are saved like all others, but never overwritten or removed.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct ProtectTests {
  let shop: RepositoryFixture
  let repository: Repository

  init() throws {
    shop = try RepositoryFixture()
    try shop.write("app.db", "a", "data/one", "data/two", "data/in/three")
    repository = try shop.configured("protect = *.db\nprotect = /data/\nprotect = !scratch.db\n")
    try repository.save(SaveOptions(name: "one"))
  }

  @Test func staysAsItIs() throws {
    #expect(try shop.paths("one").contains("app.db"))
    try shop.folder.write("app.db".bytes, "live".bytes)
    try shop.folder.setMode("app.db".bytes, 0o600)
    try shop.folder.write("a".bytes, "changed".bytes)
    try shop.write("new.db", "scratch.db", "new")
    let planned = try repository.restore(
      "one",
      {
        var options = RestoreOptions(); options.isDryRun = true; return options
      }())
    #expect(planned.plan.map(\.path.lossyText) == ["a", "new", "scratch.db"])
    let restored = try repository.restore("one")
    for summary in [planned, restored] {
      #expect(
        summary.problems.map { "\($0.path): \($0.message)" } == [
          "app.db: not overwritten: it is protected", "new.db: not removed: it is protected",
        ])
      #expect(summary.problems.filter { !$0.isNote } == [])
    }
    #expect(try shop.folder.read("app.db".bytes) == "live".bytes)
    #expect(try shop.folder.read("a".bytes) == "a".bytes)
    #expect(shop.isThere("new.db") && !shop.isThere("new") && !shop.isThere("scratch.db"))
  }

  @Test func whatIsMissingComesBack() throws {
    try shop.folder.remove("app.db".bytes)
    try shop.folder.remove("data/one".bytes)
    try shop.folder.remove("data/in".bytes)
    try shop.folder.write("data/two".bytes, "live".bytes)
    try shop.write("data/extra")
    try repository.restore("one")
    #expect(try shop.folder.read("app.db".bytes) == "app.db".bytes)
    #expect(try shop.folder.read("data/one".bytes) == "data/one".bytes)
    #expect(try shop.folder.read("data/in/three".bytes) == "data/in/three".bytes)
    #expect(try shop.folder.read("data/two".bytes) == "live".bytes)
    #expect(shop.isThere("data/extra"))
  }

  @Test func foldersThatHoldSomethingProtectedStay() throws {
    try shop.write("extra/deep/x.db", "extra/deep/y", "extra/z")
    try repository.restore("one")
    #expect(shop.isThere("extra/deep/x.db") && !shop.isThere("extra/deep/y") && !shop.isThere("extra/z"))
    // A protected file does not give way to a file with the name of its folder either.
    try shop.folder.remove("a".bytes)
    try shop.write("a/x.db", "a/y")
    let restored = try repository.restore("one")
    #expect(restored.problems.filter { !$0.isNote } == [])
    #expect(shop.isThere("a/x.db") && !shop.isThere("a/y"))
  }

  @Test func hardLinksToItAreCut() throws {
    try shop.folder.makeHardLink("linked".bytes, to: "app.db".bytes)
    try repository.save(SaveOptions(name: "two"))
    try shop.folder.write("app.db".bytes, "live".bytes)
    try repository.restore("two")
    #expect(try shop.folder.read("app.db".bytes) == "live".bytes)
    #expect(try shop.folder.read("linked".bytes) == "app.db".bytes)
  }

  /// A change of a protected file is not an unsaved change for undo; otherwise undo would never get past it.
  @Test func undoIsNotHeldUp() throws {
    try shop.folder.write("a".bytes, "two".bytes)
    try repository.save(SaveOptions(name: "two"))
    try shop.folder.write("a".bytes, "three".bytes)
    try repository.save(SaveOptions(name: "three"))
    try shop.folder.write("app.db".bytes, "live".bytes)
    try shop.write("data/extra")
    try repository.undo()
    #expect(try shop.folder.read("a".bytes) == "two".bytes)
    try repository.undo()
    #expect(try shop.folder.read("a".bytes) == "a".bytes)
    try repository.redo(2)
    #expect(try shop.folder.read("a".bytes) == "three".bytes)
    #expect(try shop.folder.read("app.db".bytes) == "live".bytes)
    #expect(shop.isThere("data/extra"))
    // Status reports these changes.
    #expect(try repository.status().changes.map(\.path.lossyText) == ["app.db", "data/extra"])
  }
}
