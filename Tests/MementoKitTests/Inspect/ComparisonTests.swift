import MementoStore
import TestSupport
import Testing

@testable import MementoKit

@Suite struct ComparisonTests {
  @Test func linksMoveToo() throws {
    let shop = try RepositoryFixture()
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
    let shop = try RepositoryFixture()
    let missing = ObjectID(hashing: "no tree".bytes)
    for (name, content) in [("one", "1"), ("two", "2")] {
      let tree = RepositoryFixture.tree([
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
    try shop.plant(tree: shop.plant(meta: [RepositoryFixture.tree([])])[0], as: "empty")
    options.from = "empty"
    do throws(RepositoryError) {
      _ = try shop.repository.diff(options)
      Issue.record("nothing was missed")
    } catch {
      #expect(error.code == .damaged && error.path == BytePath("same"), "\(error)")
    }
  }
}
