import MementoStore
import TestSupport
import Testing

@testable import MementoKit

@Suite struct RenameDetectionTests {
  private func removed(_ path: String, _ content: String) -> FileChange {
    FileChange(
      path: BytePath(path), kind: .removed, oldPath: nil, old: FileEntry(.file("x", content.bytes)), new: nil)
  }

  private func added(_ path: String, _ content: String) -> FileChange {
    FileChange(path: BytePath(path), kind: .added, oldPath: nil, old: nil, new: FileEntry(.file("x", content.bytes)))
  }

  /// `old > new` for a rename, otherwise the kind and the path.
  private func pairs(_ changes: FileChange...) -> [String] {
    RenameDetection.pairing(changes).map { change in
      change.oldPath.map { "\($0) > \(change.path)" } ?? "\(change.kind) \(change.path)"
    }
  }

  @Test func equalContentIsOneFile() {
    #expect(pairs(removed("a", "1"), added("b", "1")) == ["a > b"])
    #expect(pairs(removed("a", "1"), added("b", "2")) == ["removed a", "added b"])
    #expect(pairs(added("a", "1"), added("b", "1"), removed("c", "1")) == ["c > a", "added b"])
    #expect(pairs(added("a", "1"), removed("b", "1"), removed("c", "1")) == ["b > a", "removed c"])
  }

  @Test func emptyFilesAreNotTakenForEachOther() {
    #expect(pairs(removed("a", ""), added("b", "")) == ["removed a", "added b"])
  }

  @Test func aNameThatWasKeptSaysMore() {
    #expect(
      pairs(removed("a/x", "1"), removed("a/y", "1"), added("b/y", "1"), added("c/x", "1")) == [
        "a/y > b/y", "a/x > c/x",
      ])
    #expect(pairs(added("b/z", "1"), added("b/y", "1"), removed("c/y", "1")) == ["added b/z", "c/y > b/y"])
  }

  @Test func linksMoveToo() throws {
    let shop = try Workshop()
    try shop.folder.makeLink("a".bytes, to: "target".bytes)
    try shop.save("one")
    try shop.folder.remove("a".bytes)
    try shop.folder.makeLink("b".bytes, to: "target".bytes)
    let comparison = try shop.repository.diff()
    #expect(comparison.changes.map(\.kind) == [.renamed])
    #expect(comparison.changes.first?.oldPath == BytePath("a"))
  }

  /// A folder that is equal in both snapshots is not read, so its tree may even be missing.
  @Test func equalFoldersAreNotOpened() throws {
    let shop = try Workshop()
    let missing = ObjectID(hashing: "no tree".bytes)
    for (name, content) in [("one", "1"), ("two", "2")] {
      let tree = Workshop.tree([
        TreeEntry.file("a", content.bytes).encoded, TreeEntry.folder("same", missing).encoded,
      ])
      try shop.plant(data: [content.bytes])
      try shop.plant(tree: shop.plant(meta: [tree])[0], as: name)
    }
    var options = DiffOptions()
    options.from = "one"
    options.to = "two"
    let comparison = try shop.repository.diff(options)
    #expect(comparison.changes.map(\.path) == [BytePath("a")])
    guard let diff = try comparison.content(of: comparison.changes[0]).text else {
      Issue.record("not text")
      return
    }
    #expect(diff.insertions == 1 && diff.deletions == 1)
    // When a missing tree is needed, the error names its path.
    try shop.plant(tree: shop.plant(meta: [Workshop.tree([])])[0], as: "empty")
    options.from = "empty"
    do throws(RepositoryError) {
      _ = try shop.repository.diff(options)
      Issue.record("nothing was missed")
    } catch {
      #expect(error.code == .damaged && error.path == BytePath("same"), "\(error)")
    }
  }
}
