// What a merge, a gc and a transfer copy has the records of snapshots in blocks of their own.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RecordBlocksTests {
  private let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    for number in 0..<20 {
      try shop.folder.write("file".bytes, "number \(number)".bytes)
      try shop.save("s\(number)")
    }
  }

  /// How many blocks hold records, and how many of these hold something else, too.
  private func blocks(_ store: Store) throws -> (withRecords: Int, mixed: Int) {
    let records = Set(try shop.repository.log().map(\.snapshot.id.object))
    #expect(records.count == 20)
    var counts = (withRecords: 0, mixed: 0)
    for pack in try store.index.presentPacks() {
      let contents = try store.index.contents(of: pack).contents
      var first = 0
      for block in contents.blocks {
        let blobs = contents.blobs[first..<first + Int(block.blobCount)]
        first += Int(block.blobCount)
        let found = blobs.count { records.contains($0.id) }
        if found > 0 { counts.withRecords += 1 }
        if found > 0, found < blobs.count { counts.mixed += 1 }
      }
    }
    return counts
  }

  @Test func afterAMerge() throws {
    #expect(try blocks(shop.repository.store) == (20, 0))
    let store = try shop.reopened().store
    let merge = PackMerge(store)
    let merged = try merge.run(
      merge.packs(copyingAtMost: 1 << 20),
      holding: store.locks.take(RemovesPacks.self, upgrading: false, waiting: 0), while: { true }, note: { _, _ in })
    #expect(merged == 20)
    let again = try shop.reopened()
    #expect(try blocks(again.store) == (1, 0))
    #expect(try again.verify(readData: true).damage == [])
  }

  @Test func afterAGc() throws {
    _ = try shop.repository.delete(["s3"])
    _ = try shop.repository.collectGarbage(emptyingTrash: true)
    let again = try shop.reopened()
    #expect(try blocks(again.store).mixed == 0)
    #expect(try again.verify(readData: true).damage == [])
  }
}
