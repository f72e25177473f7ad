// An interrupted restore: other commands refuse to run, and `--continue` and `--abort` lead exactly to their targets.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct PendingRestoreTests {
  let shop: RepositoryFixture
  let target: Manifest
  let before: Manifest

  init() throws {
    shop = try RepositoryFixture()
    let folder = shop.folder
    for name in ["a", "a/b"] { try folder.makeFolder(name.bytes) }
    for name in ["1", "2", "a/1", "a/b/2"] { try folder.write(name.bytes, name.bytes) }
    try folder.makeHardLink("also 1".bytes, to: "1".bytes)
    try shop.save("target")
    target = try shop.state
    try folder.remove("a".bytes)
    try folder.write("a".bytes, "a file now".bytes)
    try folder.write("2".bytes, "changed".bytes)
    try folder.remove("also 1".bytes)
    try folder.write("new".bytes, "new".bytes)
    try shop.save("before")
    before = try shop.state
  }

  /// Writes the mark of a restore, as if the restore had been killed.
  private func interrupt(_ change: (inout PendingRestore) -> Void = { _ in }) throws {
    var pending = PendingRestore(
      target: try shop.repository.snapshot("target").id.object,
      before: try shop.repository.snapshot("before").id.object, staging: "restore-1-1", position: nil)
    change(&pending)
    let mark = pending
    _ = try shop.repository.store.refs.update(waiting: 10) { $0.pending = mark }
  }

  /// How far the killed restore had come.
  enum Progress: CaseIterable, Sendable {
    case nothing, some, other, all, staged
  }

  private func progress(_ progress: Progress) throws {
    let folder = shop.folder
    switch progress {
    case .nothing: break
    case .some:
      try folder.remove("a".bytes)
      try folder.makeFolder("a".bytes, mode: 0o700)
      try folder.remove("new".bytes)
    case .other:
      try folder.write("2".bytes, "2".bytes)
      try folder.makeFolder("unknown".bytes)
    case .all:
      _ = try shop.extract("target", to: "copy")
      try folder.empty()
      for name in ["1", "2", "a"] {
        try shop.directory.rename("copy/\(name)", to: "work/\(name)")
      }
    case .staged:
      let staging = shop.storeFolder
      try staging.makeFolder("tmp/restore-1-1".bytes)
      try staging.write("tmp/restore-1-1/0".bytes, "staged".bytes)
      try folder.remove("1".bytes)
    }
  }

  /// A staging folder without a list is kept as a whole.
  private func expectKept(_ state: Progress, _ summary: RestoreSummary) throws {
    let rescue = BytePath(shop.storeFolder.path).appending("rescue/restore-1-1".utf8)
    #expect(summary.rescued == (state == .staged ? [rescue] : []))
    #expect(summary.problems.map(\.path) == summary.rescued)
    if state == .staged { #expect(try shop.storeFolder.read("rescue/restore-1-1/0".bytes) == "staged".bytes) }
  }

  @Test(arguments: Progress.allCases)
  func goesOn(_ state: Progress) throws {
    try interrupt()
    try progress(state)
    let summary = try shop.reopened().continueRestore()
    try expectKept(state, summary)
    #expect(try shop.state.differences(from: target) == [])
    let refs = try shop.repository.readRefs()
    #expect(refs.pending == nil)
    #expect(refs.timeline.current?.snapshot == refs["target"])
    #expect(try shop.storeFolder.folder("tmp").names() == [])
    #expect(code { try shop.repository.continueRestore() } == .noPendingRestore)
    #expect(code { try shop.repository.abortRestore() } == .noPendingRestore)
    try shop.restore("before")
    #expect(try shop.state.differences(from: before) == [])
  }

  @Test(arguments: Progress.allCases)
  func isTakenBack(_ state: Progress) throws {
    try interrupt()
    try progress(state)
    let summary = try shop.reopened().abortRestore()
    try expectKept(state, summary)
    #expect(try shop.state.differences(from: before) == [])
    let refs = try shop.repository.readRefs()
    #expect(refs.pending == nil)
    #expect(refs.timeline.current?.snapshot == refs["before"])
    #expect(try shop.storeFolder.folder("tmp").names() == [])
  }

  /// Both directions in turn, each interrupted by the next.
  @Test func isInterruptedAgain() throws {
    for round in 0..<3 {
      try interrupt()
      try progress(.some)
      _ = try shop.repository.continueRestore()
      try interrupt()
      try progress(round == 1 ? .other : .nothing)
      _ = try shop.repository.abortRestore()
      #expect(try shop.state.differences(from: before) == [])
    }
  }

  @Test func everythingElseWaits() throws {
    try interrupt()
    let state = try shop.state
    #expect(code { try shop.save("x") } == .restorePending)
    #expect(code { try shop.save() } == .restorePending)
    #expect(code { try shop.restore("target") } == .restorePending)
    #expect(code { try shop.repository.collectGarbage() } == .restorePending)
    #expect(code { try shop.repository.collectGarbage(isDryRun: true) } == .restorePending)
    #expect(code { try shop.repository.delete(["before"]) } == .restorePending)
    #expect(code { try shop.repository.name("target", as: "y") } == .restorePending)
    #expect(try shop.state.touched(since: state) == [])
    // Commands that only read still work.
    #expect(try shop.repository.states().count == 2)
    #expect(try shop.repository.log().count == 2)
    #expect(try shop.repository.verify().damage == [])
    #expect(try Manifest(shop.extract("target", to: "copy").0).differences(from: target) == [])
  }

  @Test func whatWasBegunWithDiscardCannotBeTakenBack() throws {
    try interrupt { $0.before = nil }
    #expect(code { try shop.repository.abortRestore() } == .invalidArgument)
    _ = try shop.repository.continueRestore()
    #expect(try shop.state.differences(from: target) == [])
  }

  @Test func aMarkOfNothingThatIsThereChangesNothing() throws {
    try interrupt { $0.target = ObjectID(hashing: "nowhere".bytes) }
    let state = try shop.state
    #expect(code { try shop.repository.continueRestore() } == .damaged)
    #expect(try shop.state.touched(since: state) == [])
    _ = try shop.repository.abortRestore()
    #expect(try shop.state.differences(from: before) == [])
  }

  @Test(arguments: ["../../outside", "..", ".", "a/b", "/outside", "packs", "../packs", ""])
  func aForgedStagingFolderRemovesNothing(_ name: String) throws {
    // This absolute path names a folder that exists and must not be removed.
    let staging = name == "/outside" ? String(decoding: shop.outside.path, as: UTF8.self) : name
    let mark = PendingRestore(
      target: try shop.repository.snapshot("target").id.object, before: nil, staging: staging, position: nil)
    let canary = try Manifest(shop.outside)
    let packs = try shop.storeFolder.folder("packs").names()
    _ = try? shop.repository.store.refs.update(waiting: 10) { $0.pending = mark }
    _ = try? shop.repository.continueRestore()
    _ = try? shop.repository.abortRestore()
    _ = try? shop.save("x")
    #expect(try Manifest(shop.outside).differences(from: canary) == [])
    #expect(try Set(shop.storeFolder.folder("packs").names()).isSuperset(of: packs))
  }
}
