// A restore that changes HEAD or refs of git repositories reports it. The repositories are made by hand, so git need
// not be installed.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct GitNotesTests {
  let shop: RepositoryFixture
  private static let first = String(repeating: "a1", count: 20)
  private static let second = String(repeating: "b2", count: 20)
  private static let third = String(repeating: "c3", count: 20)

  init() throws {
    shop = try RepositoryFixture()
    try makeRepository(".git")
  }

  private func makeRepository(_ git: String) throws {
    for folder in ["", "/refs", "/refs/heads", "/refs/tags", "/objects"] {
      try shop.folder.makeFolder((git + folder).bytes)
    }
    try write(git + "/HEAD", "ref: refs/heads/main\n")
    try write(git + "/refs/heads/main", GitNotesTests.first + "\n")
    try write(git + "/index", "1")
  }

  private func write(_ name: String, _ text: String) throws { try shop.folder.write(name.bytes, text.bytes) }

  private func notes(_ revision: String = "one", isDryRun: Bool = false) throws -> [String] {
    let summary = try shop.restore(Revision(revision)) { $0.isDryRun = isDryRun }
    #expect(summary.problems.filter { !$0.isNote } == [])
    return summary.problems.map { "\($0.path): \($0.message)" }
  }

  @Test func aCommitThatIsTakenBackIsNamed() throws {
    try shop.save("one")
    try write(".git/refs/heads/main", GitNotesTests.second + "\n")
    let expected = [".git: HEAD moves from b2b2b2b to a1a1a1a (main)"]
    #expect(try notes(isDryRun: true) == expected)
    #expect(try notes() == expected)
    let undone = try shop.repository.undo()
    #expect(undone.restore.problems.map(\.message) == ["HEAD moves from a1a1a1a to b2b2b2b (main)"])
  }

  @Test func nothingIsSaidOfTheRest() throws {
    try shop.save("one")
    try write(".git/index", "2")
    try write(".git/objects/x", "2")
    try write("HEAD", "no repository")
    #expect(try notes() == [])
  }

  @Test func eachRepositoryHasALine() throws {
    try shop.folder.makeFolder("sub".bytes)
    try makeRepository("sub/.git")
    try shop.save("one")
    try write(".git/HEAD", GitNotesTests.third + "\n")
    try write("sub/.git/HEAD", "ref: refs/heads/dev\n")
    try write("sub/.git/refs/heads/dev", GitNotesTests.second + "\n")
    try write("sub/.git/refs/tags/v1", GitNotesTests.second + "\n")
    #expect(
      try notes() == [
        ".git: HEAD moves from c3c3c3c to main at a1a1a1a",
        "sub/.git: HEAD moves from dev at b2b2b2b to main at a1a1a1a; 2 other refs change",
      ])
  }

  /// From time to time git packs its refs into one file. That is no change of the refs.
  @Test func packedRefsCount() throws {
    try write(".git/refs/tags/v1", GitNotesTests.second + "\n")
    try shop.save("one")
    for name in [".git/refs/heads/main", ".git/refs/tags/v1"] { try shop.folder.remove(name.bytes) }
    let packed = "# pack-refs with: peeled\n\(GitNotesTests.first) refs/heads/main\n"
    try write(".git/packed-refs", packed + "\(GitNotesTests.second) refs/tags/v1\n")
    #expect(try notes(isDryRun: true) == [])
    try write(".git/packed-refs", packed + "\(GitNotesTests.third) refs/tags/v1\n")
    #expect(try notes(isDryRun: true) == [".git: v1 moves from c3c3c3c to b2b2b2b"])
    try write(".git/packed-refs", "\(GitNotesTests.third) refs/heads/main\n")
    #expect(try notes() == [".git: HEAD moves from c3c3c3c to a1a1a1a (main); 1 other ref changes"])
  }

  @Test func aRepositoryThatComesOrGoesIsNamed() throws {
    try shop.save("one")
    try shop.folder.remove(".git".bytes)
    try shop.save("without")
    #expect(try notes() == [".git: HEAD comes back: main at a1a1a1a"])
    #expect(try notes("without") == [".git: HEAD (main at a1a1a1a) is removed"])
  }

  @Test func whatIsKeptIsNotNamed() throws {
    try shop.save("one")
    try write("a", "new")
    try write(".git/refs/heads/main", GitNotesTests.second + "\n")
    let summary = try shop.restore("one") { $0.kept = [".git".bytes] }
    #expect(summary.problems.isEmpty && summary.removed == 1)
    #expect(try shop.folder.read(".git/refs/heads/main".bytes).starts(with: "b2".bytes))
  }

  /// Ref names in a file must not lead out of the repository, and an unreadable file must not stop a restore.
  @Test(arguments: [
    "ref: ../../../outside/canary\n", "ref: refs/../../../outside/canary\n", "", "\u{0}\u{1}", "ref: refs/heads/\n",
  ])
  func hostileTextIsHarmless(_ head: String) throws {
    try shop.save("one")
    try write(".git/HEAD", head)
    let said = try notes()
    #expect(said.count == 1 && !said[0].contains("alive"))
    #expect(try shop.folder.read(".git/HEAD".bytes) == "ref: refs/heads/main\n".bytes)
  }
}
