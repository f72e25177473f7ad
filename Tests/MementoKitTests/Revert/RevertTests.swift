// A revert takes back what changed between two snapshots, and nothing else.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RevertTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    for name in ["text", "other"] { try write(name, lines()) }
    try write("same", "same")
    try write("binary", "a\0b")
    try write("gone", "gone")
    try shop.folder.makeFolder("left".bytes)
    try write("left/file", "left")
    try shop.save("a")
    try write("text", lines(3, "upgraded"))
    try write("other", lines(3, "upgraded"))
    try write("binary", "a\0upgraded")
    try shop.folder.remove("gone".bytes)
    try shop.folder.remove("left/file".bytes)
    try shop.folder.remove("left".bytes)
    try shop.folder.makeFolder("made".bytes)
    try write("made/file", "made")
    try write("same", "better")
    try shop.save("b")
  }

  private func lines(_ number: Int? = nil, _ text: String = "") -> String {
    (0..<10).map { (line: Int) -> String in line == number ? text + "\n" : "line \(line)\n" }.joined()
  }

  private func write(_ name: String, _ text: String) throws { try shop.folder.write(name.bytes, text.bytes) }

  private func text(_ name: String) throws -> String {
    String(decoding: try shop.folder.read(name.bytes), as: UTF8.self)
  }

  private func names(_ folder: String = "") throws -> [String] {
    let names = try (folder.isEmpty ? shop.folder : shop.folder.folder(folder)).names()
    return names.filter { $0 != ".memento".bytes }.map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  private var changed: [String] { get throws { try shop.repository.status().changes.map(\.path.lossyText) } }

  @discardableResult
  private func revert(_ change: (inout RevertOptions) -> Void = { _ in }) throws -> RevertSummary {
    var options = RevertOptions()
    change(&options)
    return try shop.repository.revert(from: "a", to: "b", options)
  }

  @Test func everythingGoesBackWhereNothingWasChanged() throws {
    let summary = try revert()
    #expect(summary.conflicts == [] && summary.merged == [])
    #expect(summary.restore.guard == nil)
    #expect(try names() == ["binary", "gone", "left", "other", "same", "text"])
    #expect(try text("text") == lines() && text("left/file") == "left")
    #expect(try shop.repository.diff(differing("a")).changes.filter { $0.kind != .metadata } == [])
    #expect(try changed == [])
    #expect(summary.restore.snapshot.id == (try shop.repository.snapshot(.position)).id)
  }

  @Test func theHistorySaysWhatWasTakenBack() throws {
    try revert()
    let step = try #require(try shop.repository.log(LogOptions()).first?.restored)
    #expect(step.name == "a" && step.until == "b" && step.created == 2 && step.replaced == 4 && step.removed == 1)
  }

  private func differing(_ name: Revision) -> DiffOptions {
    var options = DiffOptions()
    options.from = name
    return options
  }

  @Test func laterWorkStays() throws {
    var later = lines(3, "upgraded")
    later += "later\n"
    try write("text", later)
    try write("new", "new")
    try write("made/more", "more")
    let summary = try revert()
    #expect(summary.conflicts == [])
    #expect(summary.merged.map(\.lossyText) == ["text"])
    #expect(try text("text") == lines() + "later\n")
    #expect(try text("new") == "new" && names("made") == ["more"])
    #expect(try changed == ["made/more", "new"])
    try shop.repository.undo()
    #expect(try text("text") == later && text("made/file") == "made" && text("same") == "better")
    #expect(try names("made") == ["file", "more"])
    #expect(try !names().contains("gone"))
  }

  @Test func theSameLinesAreMarked() throws {
    try write("text", lines(3, "again"))
    let summary = try revert()
    #expect(summary.conflicts == [RevertConflict(BytePath("text"), .lines, marks: 1)])
    #expect(try text("text").contains("<<<<<<< present\nagain\n||||||| b\nupgraded\n=======\nline 3\n>>>>>>> a\n"))
    #expect(try text("other") == lines())
    try shop.repository.undo()
    #expect(try text("text") == lines(3, "again"))
  }

  @Test func whatCannotBeMergedStays() throws {
    try write("binary", "a\0later")
    try write("gone", "another one")
    try shop.folder.remove("same".bytes)
    try shop.folder.remove("other".bytes)
    try shop.folder.makeFolder("other".bytes)
    try write("made/file", "changed")
    let summary = try revert()
    let found = Dictionary(uniqueKeysWithValues: summary.conflicts.map { ($0.path.lossyText, $0.kind) })
    #expect(
      found == [
        "binary": .content, "gone": .present, "same": .removed, "other": .type, "made/file": .present,
      ])
    #expect(try text("binary") == "a\0later" && text("gone") == "another one" && text("made/file") == "changed")
    #expect(try !names().contains("same") && names("other") == [])
    #expect(try text("text") == lines())
  }

  @Test func modesAreMerged() throws {
    try shop.folder.setMode("text".bytes, 0o755)
    try shop.folder.setMode("same".bytes, 0o700)
    try shop.save("c")
    try shop.folder.setMode("same".bytes, 0o750)
    try write("text", lines(3, "upgraded") + "later\n")
    let summary = try shop.repository.revert(from: "b", to: "c")
    #expect(summary.conflicts == [RevertConflict(BytePath("same"), .metadata)])
    let repository = shop.repository
    #expect(try repository.entry(.position, path: BytePath("text")).permissions == 0o644)
    #expect(try text("text") == lines(3, "upgraded") + "later\n")
  }

  @Test func onlyThePathsNamed() throws {
    try revert { $0.paths = [BytePath("text"), BytePath("left")] }
    #expect(try text("text") == lines() && text("left/file") == "left")
    #expect(try text("same") == "better" && names("made") == ["file"])
    let exclusion = try PathspecReader(folder: BytePath("/f"), place: BytePath("")).read(":!made".bytes)
    try revert { $0.pathspecs = [exclusion] }
    #expect(try names("made") == ["file"] && text("same") == "same")
    #expect(throws: RepositoryError.self) { try revert { $0.paths = [BytePath("nowhere")] } }
  }

  @Test func aPlanChangesNothing() throws {
    try write("text", lines(3, "again"))
    let before = try FolderRecord(of: String(decoding: shop.folder.path, as: UTF8.self))
    let summary = try revert { $0.isDryRun = true }
    #expect(summary.conflicts.count == 1 && !summary.restore.isCommitted)
    #expect(summary.restore.plan.contains { $0.path == BytePath("text") && $0.action == .replace })
    #expect(try FolderRecord(of: String(decoding: shop.folder.path, as: UTF8.self)).differences(from: before) == [])
  }

  @Test func aSecondRevertDoesNothing() throws {
    try revert()
    let steps = try shop.repository.readRefs().timeline.steps.count
    let summary = try revert()
    #expect(summary.restore.replaced + summary.restore.created + summary.restore.removed == 0)
    #expect(summary.conflicts == [])
    #expect(try shop.repository.readRefs().timeline.steps.count == steps)
  }

  @Test func aSecondRevertLeavesWhatTheFirstHasMerged() throws {
    try write("text", lines(3, "upgraded") + "later\n")
    #expect(try revert().merged.map(\.lossyText) == ["text"])
    let steps = try shop.repository.readRefs().timeline.steps.count
    let summary = try revert()
    #expect(summary.merged == [] && summary.conflicts == [])
    #expect(try text("text") == lines() + "later\n")
    #expect(try shop.repository.readRefs().timeline.steps.count == steps)
  }

  @Test func aPlanMergesAsTheRevertDoes() throws {
    try write("text", lines(3, "upgraded") + "later\n")
    try write("same", "changed again")
    let plan = try revert { $0.isDryRun = true }
    let done = try revert()
    #expect(plan.merged == done.merged && plan.conflicts == done.conflicts)
    #expect(plan.restore.replaced == done.restore.replaced && plan.restore.removed == done.restore.removed)
  }

  /// Changes of different lines, with a line between them, never stand in each other's way.
  @Test(arguments: 0..<12)
  func laterLinesStayWhateverWasChanged(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let upgraded = Set((0..<40).filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
    let free = (0..<40).filter { line in upgraded.allSatisfy { abs($0 - line) > 1 } }
    let later = Set(free.filter { _ in Bool.random(using: &random) })
    func text(_ upgraded: Set<Int>, _ later: Set<Int>) -> String {
      (0..<40).map { line -> String in
        upgraded.contains(line) ? "upgraded \(line)\n" : later.contains(line) ? "later \(line)\n" : "line \(line)\n"
      }.joined()
    }
    try write("random", text([], []))
    try shop.save("before")
    try write("random", text(upgraded, []))
    try write("beside", "beside")
    try shop.save("after")
    try write("random", text(upgraded, later))
    let summary = try shop.repository.revert(from: "before", to: "after")
    #expect(summary.conflicts == [])
    #expect(try self.text("random") == text([], later) && !names().contains("beside"))
    try shop.repository.undo()
    #expect(try self.text("random") == text(upgraded, later) && self.text("beside") == "beside")
  }

  @Test func aValueIsRefused() throws {
    try shop.repository.saveValues([NamedValue(name: "value", bytes: "v".bytes)])
    let error = #expect(throws: RepositoryError.self) { try shop.repository.revert(from: "value", to: "b") }
    #expect(error?.code == .wrongKind)
  }
}
