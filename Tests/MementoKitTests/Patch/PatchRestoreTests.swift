// A restore of chosen pieces changes these and nothing else.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct PatchRestoreTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
  }

  private func write(_ name: String, _ text: String) throws { try shop.folder.write(name.bytes, text.bytes) }

  private func text(_ name: String) throws -> String {
    String(decoding: try shop.folder.read(name.bytes), as: UTF8.self)
  }

  private func lines(_ changes: [Int: String] = [:]) -> String {
    (1...30).map { (changes[$0] ?? "\($0)") + "\n" }.joined()
  }

  private func exists(_ name: String) -> Bool { (try? FolderTools(shop.folder.absolute(name.bytes)).names()) != nil }

  private func patch(_ change: (inout PatchOptions) -> Void = { _ in }) throws -> RestorePatch {
    var options = PatchOptions()
    change(&options)
    return try shop.repository.patch(to: "a", options)
  }

  /// The folder, but for the times of folders, and of files as well unless they count.
  private func state(withTimes: Bool = true) throws -> [[UInt8]: ManifestEntry] {
    try shop.state.entries.mapValues { entry in
      var entry = entry
      if entry.isFolder || !withTimes { (entry.seconds, entry.nanoseconds) = (0, 0) }
      return entry
    }
  }

  /// How each path differs.
  private func kinds(_ patch: RestorePatch) -> [String: String] {
    Dictionary(uniqueKeysWithValues: patch.changes.map { ($0.path.lossyText, $0.kind.description) })
  }

  private func whole(_ patch: RestorePatch, _ names: String...) throws -> [PatchChoice] {
    try names.map { name in .whole(try #require(patch.changes.first { $0.path.lossyText == name }, "\(name)")) }
  }

  private func hunks(_ patch: RestorePatch, _ name: String, _ places: Int...) throws -> PatchChoice {
    let change = try #require(patch.changes.first { $0.path.lossyText == name })
    let diff = try #require(try patch.content(of: change).text)
    let all = diff.hunks(context: 3)
    return try .hunks(places.map { all[$0] }, of: diff, in: change)
  }

  @Test func oneHunkOfThree() throws {
    try write("text", lines())
    try write("other", "other")
    try shop.save("a")
    try write("text", lines([2: "x", 15: "y", 28: "z"]))
    try write("other", "unsaved")
    let patch = try patch()
    #expect(kinds(patch) == ["text": "modified", "other": "modified"])
    let summary = try shop.repository.restore(patch, [try hunks(patch, "text", 1)])
    #expect(summary.changed == [] && summary.restore.replaced == 1 && summary.restore.guard != nil)
    #expect(summary.from.name == "a" && summary.restore.snapshot.id != summary.from.id)
    let told = try #require(try shop.repository.log(LogOptions()).first?.restored)
    #expect(told.name == "a" && told.until == nil && told.replaced == 1)
    #expect(try text("text") == lines([2: "x", 28: "z"]) && text("other") == "unsaved")
    #expect(try shop.repository.status().changes.map(\.path.lossyText) == ["other"])
    try shop.repository.undo()
    #expect(try text("text") == lines([2: "x", 15: "y", 28: "z"]) && text("other") == "unsaved")
    try shop.repository.redo()
    #expect(try text("text") == lines([2: "x", 28: "z"]))
  }

  @Test func allHunksGiveTheFileOfTheSnapshot() throws {
    try write("text", lines())
    try shop.folder.setMode("text".bytes, 0o600)
    try shop.save("a")
    let before = try state()
    try write("text", lines([2: "x", 28: "z"]))
    try shop.folder.setMode("text".bytes, 0o755)
    let patch = try patch()
    let change = try #require(patch.changes.first)
    #expect(change.changesMetadata)
    let diff = try #require(try patch.content(of: change).text)
    try shop.repository.restore(
      patch, [try .hunks(diff.hunks(context: 3), of: diff, in: change, withMetadata: true)])
    #expect(try state() == before)
  }

  @Test func modesAndHunksGoTheirOwnWays() throws {
    try write("text", lines())
    try shop.folder.setMode("text".bytes, 0o600)
    try shop.save("a")
    try write("text", lines([2: "x", 28: "z"]))
    try shop.folder.setMode("text".bytes, 0o755)
    let first = try patch()
    try shop.repository.restore(first, [try hunks(first, "text", 0)])
    #expect(try text("text") == lines([28: "z"]))
    #expect(try shop.repository.diff().changes == [])
    let second = try patch()
    let change = try #require(second.changes.first)
    #expect(change.changesMetadata && change.old?.permissions == 0o755 && change.new?.permissions == 0o600)
    let summary = try shop.repository.restore(second, [.metadata(of: change)])
    #expect(summary.restore.metadata == 1)
    #expect(try text("text") == lines([28: "z"]))
    #expect(try patch().changes.first?.changesMetadata == false)
  }

  @Test func filesAndFoldersComeAndGo() throws {
    for folder in ["d", "d/e", "gone", "turned"] { try shop.folder.makeFolder(folder.bytes) }
    for file in ["d/e/f", "gone/one", "gone/two", "turned/file", "kind"] { try write(file, file) }
    try shop.folder.makeFolder("empty".bytes)
    try shop.folder.makeLink("link".bytes, to: "d".bytes)
    try shop.save("a")
    let before = try state()
    for name in ["d", "gone", "turned", "kind", "empty", "link"] { try shop.folder.remove(name.bytes) }
    try write("turned", "a file now")
    try shop.folder.makeFolder("kind".bytes)
    try write("kind/inner", "inner")
    try shop.folder.makeFolder("made".bytes)
    try write("made/one", "one")
    try write("made/two", "two")
    try shop.folder.makeLink("link".bytes, to: "kind".bytes)
    let patch = try patch()
    #expect(
      kinds(patch) == [
        "d/e/f": "added", "gone/one": "added", "gone/two": "added", "turned": "type", "kind": "type", "empty": "added",
        "link": "modified", "made/one": "removed", "made/two": "removed",
      ])
    try shop.repository.restore(patch, try whole(patch, "d/e/f", "gone/one", "made/one", "kind"))
    #expect(try text("d/e/f") == "d/e/f" && text("kind") == "kind")
    #expect(try shop.folder.folder("gone").names() == ["one".bytes])
    #expect(try shop.folder.folder("made").names() == ["two".bytes])
    #expect(!exists("empty") && !exists("turned"))
    let rest = try self.patch()
    try shop.repository.restore(rest, rest.changes.map { .whole($0) })
    #expect(try state() == before)
    #expect(!exists("made") && exists("empty") && exists("turned"))
    #expect(try self.patch().changes == [])
  }

  @Test func whatChangedMeanwhileIsLeftAlone() throws {
    try write("text", lines())
    try write("other", lines())
    try write("gone", "gone")
    try shop.save("a")
    try write("text", lines([2: "x"]))
    try write("other", lines([2: "x"]))
    try write("new", "new")
    try shop.folder.remove("gone".bytes)
    let patch = try patch()
    let choices = try [hunks(patch, "text", 0), hunks(patch, "other", 0)] + whole(patch, "gone", "new")
    try write("text", lines([2: "x", 9: "later"]))
    try write("gone", "another one")
    try write("new", "newer")
    let summary = try shop.repository.restore(patch, choices)
    #expect(summary.changed.map(\.lossyText) == ["gone", "new", "text"])
    #expect(try text("text") == lines([2: "x", 9: "later"]) && text("gone") == "another one" && text("new") == "newer")
    #expect(try text("other") == lines())
  }

  /// A touched file is the same file.
  @Test func timesAloneAreNoChange() throws {
    try write("text", lines())
    try write("same", "same")
    try shop.save("a")
    try write("text", lines([2: "x"]))
    try shop.folder.setTime("same".bytes, 1_000_000_000)
    let patch = try patch()
    #expect(kinds(patch) == ["text": "modified"])
    try shop.folder.setTime("text".bytes, 1_000_000_000)
    #expect(try shop.repository.restore(patch, [try hunks(patch, "text", 0)]).changed == [])
    #expect(try text("text") == lines())
  }

  @Test func nothingIsWrittenByALookOrAPlan() throws {
    try write("text", lines())
    try shop.save("a")
    try write("text", lines([2: "x", 28: "z"]))
    let before = try shop.storeFolder.folder("packs").names()
    let patch = try patch()
    let summary = try shop.repository.restore(patch, [try hunks(patch, "text", 0)], isDryRun: true)
    #expect(!summary.restore.isCommitted && summary.restore.plan.map(\.path.lossyText) == ["text"])
    #expect(try shop.storeFolder.folder("packs").names() == before)
    #expect(try text("text") == lines([2: "x", 28: "z"]))
    let log = try shop.repository.log().count
    let none = try shop.repository.restore(patch, [])
    #expect(none.restore.replaced == 0 && none.changed == [])
    #expect(try shop.repository.log().count == log)
  }

  @Test func hardLinksStayTogether() throws {
    try write("one", lines())
    try shop.folder.makeHardLink("two".bytes, to: "one".bytes)
    try shop.save("a")
    try write("one", lines([2: "x", 28: "z"]))
    let patch = try patch()
    try shop.repository.restore(patch, [try hunks(patch, "one", 0), try hunks(patch, "two", 0)])
    #expect(try text("two") == lines([28: "z"]))
    try write("one", "through one")
    #expect(try text("two") == "through one")
    // And those of the snapshot come back.
    try shop.folder.remove("one".bytes)
    try shop.folder.remove("two".bytes)
    let both = try self.patch()
    try shop.repository.restore(both, try whole(both, "one", "two"))
    try write("one", "again")
    #expect(try text("two") == "again")
  }

  @Test func whatIsProtectedIgnoredOrUnreadIsNotAsked() throws {
    try write("kept", "1")
    try write("hidden", "1")
    try write("text", "1")
    try shop.save("a")
    for name in ["kept", "hidden", "text", "stray"] { try write(name, "2") }
    try shop.folder.remove("hidden".bytes)
    try write(".mementoignore", "hidden\nstray\n")
    let config = try shop.storeFolder.read("config".bytes)
    try shop.storeFolder.write("config".bytes, config + "protect = kept\n".bytes)
    let names = try shop.reopened().patch(to: "a").changes.map(\.path.lossyText)
    #expect(names == [".mementoignore", "text"])
    let one = try patch { $0.pathspecs = [Pathspec(path: BytePath("text"))] }
    #expect(one.changes.map(\.path.lossyText) == ["text"])
    #expect(code { try patch { $0.paths = [BytePath("nowhere")] } } == .noSuchPath)
  }

  @Test func contentsThatAreNoText() throws {
    try write("binary", "a\0b")
    let name: [UInt8] = [0x66, 0xFF, 0xFE]
    try shop.folder.write(name, [0xFF, 0x0D, 0x0A, 0xFE, 0x0D, 0x0A])
    try shop.save("a")
    try write("binary", "a\0c")
    try shop.folder.write(name, [0xFF, 0x0D, 0x0A, 0xFD])
    let patch = try patch()
    #expect(try patch.changes.map { try patch.content(of: $0).kind } == [.binary, .text])
    let change = patch.changes[1]
    let diff = try #require(try patch.content(of: change).text)
    let hunks = try PatchChoice.hunks(diff.hunks(context: 3), of: diff, in: change)
    try shop.repository.restore(patch, [.whole(patch.changes[0]), hunks])
    #expect(try shop.folder.read(name) == [0xFF, 0x0D, 0x0A, 0xFE, 0x0D, 0x0A])
    #expect(try self.patch().changes == [])
  }

  @Test func errorsSayWhat() throws {
    try write("text", lines())
    try shop.save("a")
    try write("text", lines([2: "x"]))
    let patch = try patch()
    let choice = try hunks(patch, "text", 0)
    #expect(code { try shop.repository.restore(patch, [choice, choice]) } == .invalidArgument)
    let diff = try #require(try patch.content(of: patch.changes[0]).text)
    let hunk = diff.hunks(context: 3)[0]
    #expect(code { try PatchChoice.hunks([hunk, hunk], of: diff, in: patch.changes[0]) } == .invalidArgument)
    #expect(code { try shop.repository.patch(to: "nothing") } == .noSuchState)
    try shop.save("b")
    _ = try shop.repository.purge(["a"])
    #expect(code { try shop.repository.restore(patch, [choice]) } == .noSuchState)
    #expect(try text("text") == lines([2: "x"]))
  }

  /// Random edits: everything that is chosen gives the snapshot, and every choice gives what its hunks say.
  @Test(arguments: 0..<12)
  func randomEdits(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let names = (0..<6).map { "file \($0)" }
    func content() -> String {
      (0..<Int.random(in: 0...40, using: &random)).map { _ in
        ["a", "b\r", "", "}"].randomElement(using: &random)! + "\n"
      }.joined() + (Bool.random(using: &random) ? "end" : "")
    }
    for name in names where Int.random(in: 0..<4, using: &random) > 0 { try write(name, content()) }
    try shop.save("a")
    let before = try state(withTimes: false)
    for name in names {
      switch Int.random(in: 0..<3, using: &random) {
      case 0: try write(name, content())
      case 1: try? shop.folder.remove(name.bytes)
      default: break
      }
    }
    let patch = try patch()
    var expected: [BytePath: [UInt8]?] = [:]
    var choices: [PatchChoice] = []
    for change in patch.changes where Bool.random(using: &random) {
      let diff = try #require(try patch.content(of: change).text)
      let pieces = diff.hunks(context: 3).flatMap { diff.split($0) }.filter { _ in Bool.random(using: &random) }
      if change.old == nil || change.new == nil || diff.isEmpty {
        choices.append(.whole(change))
        expected[change.path] = change.new == nil ? .some(nil) : diff.text(applying: diff.hunks(context: 0))
      } else {
        choices.append(try .hunks(pieces, of: diff, in: change))
        expected[change.path] = diff.text(applying: pieces)
      }
    }
    #expect(try shop.repository.restore(patch, choices).changed == [])
    for (path, bytes) in expected { #expect((try? shop.folder.read(path.bytes)) == bytes, "\(path)") }
    let rest = try self.patch()
    try shop.repository.restore(rest, rest.changes.map { .whole($0) })
    #expect(try state(withTimes: false) == before)
    #expect(try self.patch().changes == [])
  }
}
