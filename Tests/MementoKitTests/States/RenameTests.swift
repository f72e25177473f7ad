// Renames states.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RenameTests {
  let shop: RepositoryFixture
  let first: SnapshotID
  let second: SnapshotID

  init() throws {
    shop = try RepositoryFixture()
    try shop.folder.write("a".bytes, "1".bytes)
    first = try shop.save("first").snapshot.id
    try shop.folder.write("a".bytes, "2".bytes)
    second = try shop.save("second").snapshot.id
  }

  private func states() throws -> [String: SnapshotID] {
    try shop.reopened().stateNames()
  }

  @Test func aNameChanges() throws {
    let timeline = try shop.repository.readRefs().timeline
    let generation = try shop.repository.readRefs().generation
    let renamed = try shop.repository.rename("first", to: "the first")
    #expect(renamed == RenamedState(oldName: "first", newName: "the first", snapshot: first, replaced: nil))
    #expect(try states() == ["the first": first, "second": second])
    // It is one commit, and nothing else changes.
    #expect(try shop.repository.readRefs().generation == generation + 1)
    #expect(try shop.repository.readRefs().timeline == timeline)
    try shop.restore("the first")
    #expect(try shop.repository.status().names == ["the first"])
  }

  @Test func aNameInUseIsKept() throws {
    let refs = try shop.storeFolder.read("refs".bytes)
    #expect(code { try shop.repository.rename("first", to: "second") } == .nameInUse)
    #expect(try shop.storeFolder.read("refs".bytes) == refs)
    let renamed = try shop.repository.rename("first", to: "second", force: true)
    #expect(renamed.replaced == second)
    #expect(try states() == ["second": first])
  }

  @Test(arguments: [
    ("first", "First"), ("first", "FIRST"), ("\u{e9}", "e\u{301}"), ("e\u{301}", "\u{e9}"),
    ("stra\u{df}e", "Stra\u{df}e"),
  ])
  func aNameTakesAnotherSpelling(_ old: String, _ new: String) throws {
    if old != "first" { try shop.repository.rename("first", to: old) }
    try shop.repository.rename(old, to: new)
    let names = try shop.repository.readRefs().states.map(\.name.bytes)
    #expect(names.contains(new.bytes) && !names.contains(old.bytes))
    #expect(code { try shop.repository.rename("second", to: old) } == .invalidName)
  }

  @Test func whatCannotBeDoneChangesNothing() throws {
    let refs = try shop.storeFolder.read("refs".bytes)
    #expect(code { try shop.repository.rename("nothing", to: "x") } == .noSuchState)
    #expect(code { try shop.repository.rename("first~0", to: "x") } == .noSuchState)
    #expect(code { try shop.repository.rename("@", to: "x") } == .noSuchState)
    #expect(code { try shop.repository.rename("first", to: "first") } == .invalidArgument)
    #expect(code { try shop.repository.rename("first", to: "SECOND") } == .invalidName)
    #expect(code { try shop.repository.rename("first", to: "Second", force: true) } == .invalidName)
    for name in ["", "-x", "a:b", "@", String(repeating: "a", count: 64)] {
      #expect(code { try shop.repository.rename("first", to: name) } == .invalidName)
    }
    #expect(try shop.repository.rename("first", to: "x", isDryRun: true).snapshot == first)
    #expect(code { try shop.repository.rename("first", to: "second", isDryRun: true) } == .nameInUse)
    #expect(try shop.storeFolder.read("refs".bytes) == refs)
  }

  @Test func aPendingRestoreComesFirst() throws {
    let mark = PendingRestore(target: first.object, before: second.object, staging: "restore-1-1", position: nil)
    _ = try shop.repository.store.refs.update(waiting: 10) { $0.pending = mark }
    #expect(code { try shop.repository.rename("first", to: "x") } == .restorePending)
  }

  @Test func thousandsOfNamesAreTakenAwayAtOnce() throws {
    _ = try shop.repository.store.refs.update(waiting: 10) { refs in
      for number in 0..<3000 { refs["n\(number)"] = second.object }
    }
    let deleted = try shop.repository.delete((0..<3000).map { "n\($0)" } + ["n1"])
    #expect(deleted.count == 3000)
    #expect(try states() == ["first": first, "second": second])
    var journal = try Journal(shop.repository.store.folder).newestFirst()
    var lines = 0
    while let line = try journal.next(), line.operation == "delete" { lines += 1 }
    #expect(lines == 3000)
  }
}
