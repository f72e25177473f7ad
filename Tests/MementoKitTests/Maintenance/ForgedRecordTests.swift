// Records whose parts parse, and say what cannot be.

import MementoStore
import TestSupport
import Testing

@testable import MementoKit

struct ForgedRecordTests {
  @Test func linksThatLeadElsewhereAreRefused() throws {
    let table = LinkTable.encode([["a".bytes, "../x".bytes]])
    let shop = try RepositoryFixture()
    try shop.folder.write("a".bytes, "a".bytes)
    try shop.save("mine")
    let content = try shop.plant(data: [table])[0]
    let tree = try #require(try shop.tree("mine"))
    try shop.plant(tree: tree, as: "evil") {
      $0.links = SizedContent(size: UInt64(table.count), content: FileContent(level: 1, id: content))
    }
    let before = try shop.state
    #expect(code { try shop.restore("evil") } == .damaged)
    #expect(try shop.state.touched(since: before) == [])
  }

  /// Sums of sizes that were made up.
  @Test func filesOf2To63BytesOverflowNothing() throws {
    let shop = try RepositoryFixture()
    try shop.folder.write("mine".bytes, "mine".bytes)
    try shop.save("mine")
    let size = UInt64(Int64.max)
    var list = ByteWriter()
    list.append([ChunkListFormat.tag, 2, 1])
    list.varint(size << 1 | 1)
    let id = try shop.plant(meta: [list.bytes])[0]
    let entries = (0..<4).map { number in
      TreeEntry(
        name: "\(number)".bytes, metadata: .sample, content: .file(size: size, FileContent(level: 2, id: id))
      ).encoded
    }
    let tree = try shop.plant(meta: [RepositoryFixture.tree(entries)])[0]
    try shop.plant(tree: tree, as: "evil") { $0.bytes = .max }
    let before = try shop.state
    #expect(try shop.restore("evil") { $0.isDryRun = true }.bytesWritten == .max)
    #expect(code { try shop.restore("evil") } == .system)
    #expect(code { try shop.restore("evil") { $0.paths = ["0", "1", "2"].map { BytePath($0) } } } == .system)
    #expect(code { try shop.restore("evil") { $0.keepExtra = true } } == .system)
    #expect(code { try shop.extract("evil", to: "copy") } == .system)
    #expect(try shop.state.touched(since: before) == [])
    #expect(try shop.storeFolder.folder("tmp").names() == [])
  }
}
