import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

/// The facts in an error that programs can act on.
@Suite struct RepositoryErrorTests {
  @Test func codesAreComparedAndHaveWords() {
    #expect(RepositoryError(.locked, "m").code == .locked)
    #expect(RepositoryError.Code.noSuchState.description == "no-such-state")
    #expect(RepositoryError.Reason.unknownState.description == "unknownState")
    #expect(Set<RepositoryError.Code>([.system, .damaged, .system]).count == 2)
  }

  static let damaged: [(String, RepositoryError.Reason)] = [
    ("refs", .damagedNames), ("states/1", .damagedNames), ("config", .damagedPart), ("rules", .damagedRules),
    ("packs/x", .damagedContent),
  ]

  @Test(arguments: damaged)
  func damageSaysWhatIsHurt(_ file: String, _ reason: RepositoryError.Reason) {
    let error = RepositoryError(StoreError.damaged(file: file, reason: "torn"))
    #expect(error.code == .damaged)
    #expect(error.reason == reason)
    #expect(error.message == "the store is damaged: \(file): torn")
  }

  @Test func theHolderOfALockIsAFact() {
    let error = RepositoryError(StoreError.locked(by: LockHolder(process: 7, command: nil)))
    #expect(error.code == .locked)
    #expect(error.holder == StoreHolder(process: 7))
  }

  @Test func systemErrorsKeepTheirNumber() {
    let error = RepositoryError(StoreError.system(operation: "write", path: "refs", .noSpace))
    #expect(error.code == .system)
    #expect(error.systemError == Errno.noSpace.code)
  }

  @Test func damageNamesThePathItKeepsFromBeingRead() {
    let damage = StoreError.damaged(file: "tree", reason: "torn")
    #expect(RepositoryError(damage, reading: BytePath("a/b")).path == BytePath("a/b"))
    #expect(RepositoryError(damage, reading: BytePath("a/b")).message.hasPrefix("cannot read a/b: "))
    #expect(RepositoryError(damage, reading: BytePath("")).path == nil)
  }

  @Test func aLiteralMakesARevision() throws {
    let literal: Revision = "one~2"
    #expect(literal == Revision("one~2"))
    #expect("\(literal)" == "one~2")
    let name = "one"
    let interpolated: Revision = "\(name)~1"
    #expect(interpolated.text == "one~1")
    let id = try #require(SnapshotID(hex: String(repeating: "0a", count: 32)))
    #expect(Revision(id).text == id.description)
    #expect(Revision.position.text == "@")
  }

  @Test func aFailedLookupNamesTheRevision() throws {
    let shop = try RepositoryFixture()
    try shop.save("one")
    let error = #expect(throws: RepositoryError.self) { try shop.repository.snapshot("two") }
    #expect(error?.code == .noSuchState)
    #expect(error?.reason == .unknownRevision)
    #expect(error?.revision == "two")
  }

  @Test func entriesAreReadOneByOne() throws {
    let shop = try RepositoryFixture()
    try shop.folder.makeFolder("d".bytes)
    try shop.folder.write("d/x".bytes, "1".bytes)
    try shop.folder.write("f".bytes, "2".bytes)
    try shop.save("one")
    func paths(_ path: String, isRecursive: Bool) throws -> [String] {
      var entries = try shop.repository.entries("one", path: BytePath(path), isRecursive: isRecursive)
      var paths: [String] = []
      while let entry = try entries.next() { paths.append("\(entry.path)") }
      return paths
    }
    #expect(try paths("", isRecursive: false) == ["d", "f"])
    #expect(try paths("", isRecursive: true) == ["d", "d/x", "f"])
    #expect(try paths("d", isRecursive: true) == ["x"])
    #expect(try paths("d/x", isRecursive: false) == ["x"])
  }
}
