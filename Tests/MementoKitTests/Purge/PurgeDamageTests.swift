import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

/// A snapshot that cannot be read as a whole is not rewritten, and nothing is.
struct PurgeDamageTests {
  private let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture(parity: false)
  }

  private func refusal(_ paths: [BytePath]) throws -> RepositoryError? {
    let before = try shop.storeFolder.read("refs".bytes)
    let packs = try shop.storeFolder.folder("packs").names()
    do {
      _ = try shop.reopened().purge(PurgeOptions(paths))
      return nil
    } catch let error as RepositoryError {
      #expect(try shop.storeFolder.read("refs".bytes) == before)
      #expect(try shop.storeFolder.folder("packs").names() == packs)
      return error
    }
  }

  @Test func aMissingTreeOrChunkElsewhereIsNamed() throws {
    let secret = TreeEntry.file("secret", "x".bytes)
    let tree = try shop.plant(
      meta: [treeBytes([.folder("d", ObjectID(hashing: "lost".bytes)), secret])], data: ["x".bytes])[0]
    try shop.plant(tree: tree, as: "hurt")
    let error = try #require(try refusal(["secret"]))
    #expect(error.code == .damaged && error.reason == .unwritableSnapshot && error.revision == "hurt")
    #expect(error.message.hasPrefix("the state \"hurt\" cannot be rewritten, and nothing was changed: "))
    // One of which a chunk is lost.
    _ = try shop.repository.delete(["hurt"])
    _ = try shop.repository.collectGarbage(emptyingTrash: true)
    let other = try shop.plant(meta: [treeBytes([.file("lost", "lost".bytes), secret])], data: ["x".bytes])[0]
    try shop.plant(tree: other, as: "also hurt")
    #expect(try refusal(["secret"])?.reason == .unwritableSnapshot)
    // What is lost may be what is to go.
    #expect(try refusal(["lost"]) == nil)
    #expect(try shop.reopened().verify(readData: true).damage.isEmpty)
  }

  @Test func theTrashIsNoObstacleButForItsTrees() throws {
    let lost = try shop.plant(
      meta: [treeBytes([.file("lost", "lost".bytes), .file("secret", "x".bytes)])], data: ["x".bytes])[0]
    try shop.plant(tree: lost, as: "hurt")
    _ = try shop.repository.delete(["hurt"])
    #expect(try refusal(["secret"]) == nil)
    let tree = try shop.plant(meta: [treeBytes([.folder("way", ObjectID(hashing: "no tree".bytes))])])[0]
    try shop.plant(tree: tree, as: "broken")
    _ = try shop.repository.delete(["broken"])
    let error = try #require(try refusal(["way/secret"]))
    #expect(error.reason == .unwritableSnapshot && error.message.contains("the snapshot "))
  }

  /// Bytes of a line that a later version may write.
  @Test func unknownLinesOfARecordStay() throws {
    try shop.folder.write("secret".bytes, "x".bytes)
    try shop.folder.write("a".bytes, "a".bytes)
    try shop.save("one")
    let record = try shop.record("one")
    let odd = record.encoded() + "mood sunny%20day\nmood again\n".bytes
    let id = try shop.plant(meta: [odd])[0]
    _ = try shop.repository.store.refs.update(waiting: 10) { $0["odd"] = id }
    #expect(try refusal(["secret"]) == nil)
    let new = try shop.repository.store.read(shop.repository.snapshot("odd").id.object)
    #expect(new.suffix(28).elementsEqual("mood sunny%20day\nmood again\n".bytes))
    #expect(try SnapshotRecord(new).files == 1)
  }

  private func treeBytes(_ entries: [TreeEntry]) -> [UInt8] {
    var out = ByteWriter()
    out.u8(TreeFormat.tag)
    out.u8(0)
    out.varint(UInt64(entries.count))
    for entry in entries { out.append(entry.encoded) }
    return out.bytes
  }
}
