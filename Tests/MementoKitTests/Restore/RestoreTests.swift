// What a restore changes, what it leaves alone, and what it refuses.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RestoreTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    let folder = shop.folder
    for name in ["a", "a/b", "c"] { try folder.makeFolder(name.bytes) }
    for name in ["1", "2", "a/1", "a/2", "a/b/1", "c/1"] { try folder.write(name.bytes, "content of \(name)".bytes) }
    try folder.makeLink("link".bytes, to: "a".bytes)
    try shop.save("start")
  }

  private func change() throws {
    let folder = shop.folder
    try folder.write("a/1".bytes, "changed".bytes)
    try folder.remove("a/2".bytes)
    try folder.write("a/new".bytes, "new".bytes)
    try folder.setMode("2".bytes, 0o600)
    try folder.makeFolder("d".bytes)
    try folder.write("d/new".bytes, "new".bytes)
  }

  @Test func touchesOnlyWhatDiffers() throws {
    let before = try shop.state
    try change()
    let summary = try shop.restore("start")
    #expect(summary.created == 1)
    #expect(summary.replaced == 1)
    #expect(summary.metadata == 1)
    #expect(summary.removed == 2)
    // The folder "d", and the time of "a".
    #expect(summary.folders.removed == 1 && summary.folders.times == 1)
    let after = try shop.state
    #expect(after.differences(from: before) == [])
    // Names in the top folder and in "a" were added and removed.
    #expect(Set(after.touched(since: before)).subtracting(["the folder"]) == ["a", "a/1", "a/2", "2"])
    // A change of mode does not write the file again.
    #expect(after.traces["2".bytes]?.inode == before.traces["2".bytes]?.inode)
  }

  @Test func theGuardHasWhatWasLost() throws {
    try change()
    let unsaved = try shop.state
    let summary = try shop.restore("start")
    #expect(summary.guard != nil)
    #expect(try shop.repository.snapshot("@~1").id == summary.guard?.id)
    #expect(try shop.repository.log().map(\.operation) == [.restore, .guarded, .save])
    try shop.restore("@~1")
    #expect(try shop.state.differences(from: unsaved) == [])
    // The second time, there were no unsaved changes.
    #expect(try shop.restore("start").guard == nil)
  }

  @Test func discardKeepsNothing() throws {
    try change()
    let summary = try shop.restore("start") { $0.discard = true }
    #expect(summary.guard == nil)
    #expect(try shop.repository.log().map(\.operation) == [.save])
  }

  @Test func aDryRunSaysAllAndChangesNothing() throws {
    try change()
    let before = try shop.state
    let refs = try shop.storeFolder.read("refs".bytes)
    let packs = try shop.storeFolder.folder("packs").names()
    let summary = try shop.restore("start") { $0.isDryRun = true }
    #expect(!summary.isCommitted)
    #expect(
      summary.plan.map { "\($0.action) \($0.path)" } == [
        "metadata 2", "metadata a/", "replace a/1", "create a/2", "remove a/new", "remove d/", "remove d/new",
      ])
    #expect(try shop.state.touched(since: before) == [])
    #expect(try shop.storeFolder.read("refs".bytes) == refs)
    #expect(try shop.storeFolder.folder("packs").names() == packs)
    #expect(try shop.restore("start").created == summary.created)
  }

  @Test func keepExtraRemovesNothing() throws {
    let before = try shop.state
    try change()
    let summary = try shop.restore("start") { $0.keepExtra = true }
    #expect(summary.removed == 0)
    #expect(try shop.folder.read("d/new".bytes) == "new".bytes)
    #expect(try shop.folder.read("a/new".bytes) == "new".bytes)
    for name in ["d", "a/new"] { try shop.folder.remove(name.bytes) }
    let times = try shop.state.differences(from: before).filter { !$0.contains("conds") }
    #expect(times == [])
  }

  struct Partial: Sendable, CustomTestStringConvertible {
    let paths: [String]
    /// The names that are as they were saved. The others are as they were changed.
    let restored: Set<String>
    var testDescription: String { paths.joined(separator: " ") }
  }

  static let partials = [
    Partial(paths: ["a/1"], restored: ["a/1"]),
    Partial(paths: ["a/2"], restored: ["a/2"]),
    Partial(paths: ["a/new"], restored: ["a/new"]),
    Partial(paths: ["a"], restored: ["a/1", "a/2", "a/new"]),
    Partial(paths: ["a/"], restored: ["a/1", "a/2", "a/new"]),
    Partial(paths: ["d"], restored: ["d/new"]),
    Partial(paths: ["d/new"], restored: ["d/new"]),
    Partial(paths: ["2"], restored: ["2"]),
    Partial(paths: ["c"], restored: []),
    Partial(paths: ["a/1", "2", "d"], restored: ["a/1", "2", "d/new"]),
    Partial(paths: ["a", "a/1"], restored: ["a/1", "a/2", "a/new"]),
    Partial(paths: ["a/b/1"], restored: []),
  ]

  @Test(arguments: partials)
  func restoresOnlyThePathsThatAreNamed(_ partial: Partial) throws {
    let saved = try shop.state
    try change()
    let changed = try shop.state
    try shop.restore("start") { $0.paths = partial.paths.map { BytePath($0) } }
    let now = try shop.state
    for path in ["1", "2", "a/1", "a/2", "a/new", "a/b/1", "c/1", "d/new", "link"] {
      let expected = partial.restored.contains(path) ? saved : changed
      #expect(now.entries[path.bytes] == expected.entries[path.bytes], "\(path)")
    }
    // A restore that changes nothing adds no step.
    if !partial.restored.isEmpty { try shop.repository.undo() }
    #expect(try shop.state.differences(from: changed) == [])
  }

  /// There is nothing to undo then, and the position has not moved.
  @Test(arguments: [["a/1"], ["2", "link"], []])
  func aPartThatIsThereAlreadyIsNoStep(_ paths: [String]) throws {
    func restore() throws {
      try shop.restore("start") {
        $0.paths = paths.map { BytePath($0) }
        $0.keepExtra = true
      }
    }
    let refs = try shop.storeFolder.read("refs".bytes)
    let packs = try shop.storeFolder.folder("packs").names()
    try restore()
    #expect(try shop.storeFolder.read("refs".bytes) == refs)
    #expect(try shop.storeFolder.folder("packs").names() == packs)
    // Other unsaved changes are saved, unless only paths are restored.
    try shop.folder.write("new".bytes, "new".bytes)
    let planned = try shop.restore("start") {
      $0.paths = paths.map { BytePath($0) }
      $0.keepExtra = true
      $0.isDryRun = true
    }
    #expect(planned.plan == [])
    try restore()
    let steps = try shop.repository.readRefs().timeline.steps
    #expect(steps.map(\.operation) == (paths.isEmpty ? [.save, .guarded] : [.save]))
    #expect(try shop.folder.read("new".bytes) == "new".bytes)
  }

  @Test func restoresAFileWhoseFolderHasBecomeAFileOrALink() throws {
    let saved = try shop.state
    for round in 0..<2 {
      try shop.folder.remove("a".bytes)
      if round == 0 {
        try shop.folder.write("a".bytes, "in the way".bytes)
      } else {
        try shop.folder.makeLink("a".bytes, to: shop.outside.path)
      }
      let outside = try Manifest(shop.outside)
      try shop.restore("start") { $0.paths = [BytePath("a/b/1")] }
      #expect(try shop.state.entries["a/b/1".bytes] == saved.entries["a/b/1".bytes])
      #expect(try shop.state.entries["a/1".bytes] == nil)
      #expect(try Manifest(shop.outside).differences(from: outside) == [])
      try shop.restore("start")
      #expect(try shop.state.differences(from: saved) == [])
    }
  }

  @Test(arguments: ["nowhere", "a/nowhere", "1/x", "link/1", "..", "../outside", ".memento", "a/../1", "."])
  func refusesPathsThatAreNowhere(_ path: String) throws {
    let before = try shop.state
    #expect(code { try shop.restore("start") { $0.paths = [BytePath(path)] } } == .noSuchPath)
    #expect(code { try shop.extract("start", to: "copy", paths: [path]) } == .noSuchPath)
    #expect(try shop.state.touched(since: before) == [])
  }

  @Test func extractsSinglePaths() throws {
    let (copy, _) = try shop.extract("start", to: "copy", paths: ["a/b", "c/1"])
    let manifest = try Manifest(copy)
    #expect(Set(manifest.entries.keys) == Set(["", "a", "a/b", "a/b/1", "c", "c/1"].map(\.bytes)))
  }

  @Test func writesOnlyIntoEmptyFolders() throws {
    let full = try Manifest(shop.outside)
    #expect(code { try shop.extract("start", to: "outside") } == .notEmpty)
    #expect(try Manifest(shop.outside).differences(from: full) == [])
    #expect(code { try shop.extract("start", to: "no/such/place") } == .system)
    #expect(code { try shop.extract("start", to: "work/1") } == .system)
    _ = try FolderTools(making: shop.directory.path.bytes + "/empty".bytes)
    let (_, summary) = try shop.extract("start", to: "empty")
    #expect(summary.created == 7 && summary.folders.created == 3)
  }

  @Test(arguments: ["nothing", "start~1", "@~1", "@~99999999999", "ffff", "", "~", "@~x", "start~-1", "@{1}"])
  func refusesWhatNamesNothing(_ revision: String) throws {
    #expect(code { try shop.restore(Revision(revision)) } == .noSuchState)
    #expect(code { try shop.extract(Revision(revision), to: "copy") } == .noSuchState)
    #expect(code { try shop.repository.snapshot(Revision(revision)) } == .noSuchState)
  }
}
