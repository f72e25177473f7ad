// Undo, redo and status while rules change, and restores that were interrupted between two sets of rules.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct IgnoreTimelineTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    try shop.write("a.c")
  }

  @Test func statusNamesNothingThatIsIgnored() throws {
    try shop.write("x.o", "build/y", "z")
    try shop.save("one")
    let repository = try shop.configured("ignore = *.o\nignore = build/\n")
    #expect(try repository.status().changes == [])
    try shop.folder.write("x.o".bytes, "changed".bytes)
    try shop.folder.remove("build/y".bytes)
    try shop.folder.remove("z".bytes)
    #expect(try repository.status().changes.map(\.path) == [BytePath("z")])
    // No file that is recorded has changed, so the first undo takes back only z.
    try repository.undo()
    #expect(try repository.status().changes == [])
    #expect(code { try repository.undo() } == .timelineEnd)
    // The next snapshot does not have these files; the old one does.
    try repository.save(SaveOptions(name: "two"))
    #expect(try shop.paths("two") == ["a.c", "z"])
    try repository.restore("one")
    #expect(try shop.folder.read("x.o".bytes) == "x.o".bytes)
    #expect(shop.isThere("build/y"))
  }

  /// Undo removes the rules with the state that has them. The files that they name do not change.
  @Test func redoFindsTheFolderAsUndoLeftIt() throws {
    try shop.save("one")
    try shop.rules("*.o\nbuild\n")
    try shop.write("x.o", "build/y", "b.c")
    try shop.save("two")
    let two = try shop.state
    let undone = try shop.repository.undo()
    #expect(undone.steps.map(\.name) == ["two"])
    #expect(shop.isThere("x.o") && shop.isThere("build/y"))
    #expect(!shop.isThere("b.c") && !shop.isThere(".mementoignore"))
    #expect(try shop.repository.status().changes == [])
    #expect(code { try shop.repository.undo() } == .timelineEnd)
    let redone = try shop.reopened().redo()
    #expect(redone.steps.map(\.name) == ["two"])
    #expect(try shop.state.differences(from: two) == [])
  }

  /// What undo must overwrite becomes a step before the undone ones, so that redo still works.
  @Test func whatUndoOverwritesComesBack() throws {
    try shop.write("x.o")
    try shop.save("one")
    try shop.rules("*.o\n")
    try shop.save("two")
    try shop.write("c")
    try shop.save("three")
    try shop.repository.undo()
    try shop.folder.write("x.o".bytes, "precious".bytes)
    let present = try shop.state
    let undone = try shop.repository.undo()
    #expect(undone.restore.guard != nil)
    #expect(undone.restore.snapshot.name == "one")
    #expect(try shop.folder.read("x.o".bytes) == "x.o".bytes)
    let redone = try shop.repository.redo(2)
    #expect(redone.steps.map(\.operation) == [.save, .guarded])
    #expect(try shop.state.differences(from: present) == [])
    // The step that was undone first can still be redone.
    try shop.repository.redo()
    #expect(try shop.repository.status().names == ["three"])
    #expect(try shop.folder.read("x.o".bytes) == "precious".bytes)
  }

  @Test func dryRunsOfUndoChangeNothing() throws {
    try shop.write("x.o")
    try shop.save("one")
    try shop.rules("*.o\n")
    try shop.save("two")
    try shop.folder.write("x.o".bytes, "precious".bytes)
    let present = try shop.state
    let refs = try shop.storeFolder.read("refs".bytes)
    let planned = try shop.repository.undo(isDryRun: true)
    #expect(planned.restore.plan.map(\.path.lossyText) == [".mementoignore", "x.o"])
    #expect(try shop.state.touched(since: present) == [])
    #expect(try shop.storeFolder.read("refs".bytes) == refs)
    #expect(!shop.storeFolder.exists("rules"))
  }

  /// The restore was killed after it had removed the rule file. Without the stored rules, everything that it named
  /// would be an extra file.
  @Test(arguments: [true, false])
  func anInterruptedRestoreEndsUnderTheRulesItBeganWith(_ goesOn: Bool) throws {
    try shop.save("target")
    try shop.rules("*.o\n")
    try shop.write("x.o", "b.c")
    try shop.save("before")
    let pending = PendingRestore(
      target: try shop.repository.snapshot("target").id.object,
      before: try shop.repository.snapshot("before").id.object, staging: "restore-1-1", position: nil)
    _ = try shop.repository.store.refs.update(waiting: 10) { $0.pending = pending }
    let files = FolderRuleFiles(own: "*.o\n".bytes, git: nil)
    try PersistedRules(shop.repository.worktree).replace(with: [RuleSet(IgnoreOptions(), files: [[]: files])])
    try shop.folder.remove(".mementoignore".bytes)
    _ = try goesOn ? shop.reopened().continueRestore() : shop.reopened().abortRestore()
    #expect(try shop.folder.read("x.o".bytes) == "x.o".bytes)
    #expect(shop.isThere("b.c") == !goesOn)
    #expect(shop.isThere(".mementoignore") == !goesOn)
  }

  /// A folder stays because of ignored, protected or unrecorded files in it. That is not a change for undo to take
  /// back: otherwise undo would stop at it again and again.
  @Test(arguments: ["x.o", "x.db", "socket", "empty"])
  func foldersThatStayDoNotHoldUpUndo(_ kind: String) throws {
    try shop.rules("*.o\n")
    let repository = try shop.configured("protect = *.db\n")
    try repository.save(SaveOptions(name: "one"))
    try shop.folder.write("a.c".bytes, "two".bytes)
    try repository.save(SaveOptions(name: "two"))
    try shop.folder.makeFolder("extra".bytes)
    try shop.folder.makeFolder("extra/deep".bytes)
    switch kind {
    case "socket": try shop.folder.makeSocket("extra/deep/socket".bytes)
    case "empty": break
    default: try shop.folder.write("extra/deep/\(kind)".bytes, "x".bytes)
    }
    let undone = try repository.undo()
    #expect(undone.steps.map(\.isUnsaved) == [kind == "empty"])
    #expect(undone.restore.snapshot.name == (kind == "empty" ? "two" : "one"))
    #expect(shop.isThere("extra/deep") == (kind != "empty"))
  }

  @Test func aRestoreThatChangesRulesKeepsThem() throws {
    try shop.save("one")
    try shop.rules("*.o\n")
    try shop.write("x.o", "sub/.mementoignore")
    try shop.folder.write("sub/.mementoignore".bytes, "/y\n".bytes)
    try shop.write("sub/y")
    try shop.save("two")
    try shop.restore("one")
    let kept = try PersistedRules(shop.repository.worktree).read()
    #expect(kept.count == 1)
    #expect(kept.first?.files?["sub".bytes]?.own == "/y\n".bytes)
    #expect(shop.isThere("sub/y") && shop.isThere("x.o"))
    #expect(try shop.repository.status().changes == [])
  }
}

struct KeptRulesTests {
  private static func sample() -> RuleSet {
    var options = IgnoreOptions()
    options.patterns = ["*.o".bytes, [0xff, 0x20, 0x0a], []]
    options.files = [.init(name: BytePath("some file"), bytes: "a\n\0b\n".bytes)]
    options.readsGitignore = true
    options.excludesCaches = true
    options.largestFile = 12345
    options.crossesMounts = true
    return RuleSet(
      options, files: [[]: FolderRuleFiles(own: [], git: "x".bytes), "a b".bytes: FolderRuleFiles(own: "y\n".bytes)])
  }

  @Test func comesBack() throws {
    let sets = [KeptRulesTests.sample(), RuleSet(IgnoreOptions(), files: [:])]
    let read = try #require(PersistedRules.decode(PersistedRules.encode(sets)))
    #expect(read.map(\.options) == sets.map(\.options))
    #expect(read.map(\.files) == sets.map(\.files))
  }

  @Test(arguments: [
    "", "memento rules 2\n", "memento rules 1", "memento rules 1\nexclude /a\n", "memento rules 1\nset\nexclude a\n",
    "memento rules 1\nset fast\n", "memento rules 1\nset\nexclude /%zz\n", "memento rules 1\nset\nfrom /a\n",
    "memento rules 1\nset exclude-larger-than=-1\n", "memento rules 1\n\n", "memento rules 1\nset\nother /a\n",
  ])
  func whatIsNotUnderstoodIsRefused(_ text: String) {
    #expect(PersistedRules.decode(text.bytes) == nil)
  }

  @Test func noiseDoesNotTrap() {
    let good = PersistedRules.encode([KeptRulesTests.sample()])
    for bit in 0..<good.count * 8 { _ = PersistedRules.decode(Content.flipping(good, bit: bit)) }
  }

  @Test func equalSetsAreKeptOnce() throws {
    let shop = try RepositoryFixture()
    let rules = PersistedRules(shop.repository.worktree)
    try rules.replace(withLast: [
      KeptRulesTests.sample(), RuleSet(IgnoreOptions(), files: [:]), KeptRulesTests.sample(),
    ])
    #expect(try rules.read().count == 2)
    try rules.replace(
      withLast: (0..<40).map { number in
        var options = IgnoreOptions()
        options.largestFile = UInt64(number)
        return RuleSet(options)
      })
    #expect(try rules.read().count == 16)
    #expect(try rules.read().last?.largestFile == 39)
    try rules.replace(with: [])
    #expect(!shop.storeFolder.exists("rules"))
  }
}
