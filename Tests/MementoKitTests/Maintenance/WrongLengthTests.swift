// Contents whose chunks have other lengths than their sizes say: they are damaged, whoever reads them.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct WrongLengthTests {
  @Test(arguments: [4, 6] as [UInt64]) func aChunkOfAnotherLength(_ size: UInt64) throws {
    let shop = try RepositoryFixture()
    let chunk = try shop.plant(data: ["chunk".bytes])[0]
    let content = FileContent(level: 1, id: chunk)
    let record = SnapshotRecord(
      body: .value(SizedContent(size: size, content: content)), files: 1, bytes: size, parent: nil, replaces: nil,
      time: Clock.now(), user: "mallory", host: "elsewhere", name: "evil", message: nil, changes: ChangeCounts(),
      isComplete: true)
    try shop.plant(record, as: "evil")
    #expect(code { try shop.repository.content(ofState: "evil") } == .damaged)
    #expect(
      code {
        var reader = try shop.repository.content(of: "evil")
        while try reader.next() != nil {}
      } == .damaged)
    #expect(try !shop.repository.verify().damage.isEmpty)
    var ranges = RangeReader(SizedContent(size: size, content: content), in: shop.repository.store)
    var reader = shop.repository.store.blobReader()
    #expect(throws: StoreError.self) { try ranges.read(at: 0, count: 4, with: &reader) }
    // As contents are read that lie together.
    let whole = SizedContent(size: size, content: content)
    #expect(throws: StoreError.self) { try reader.contents(of: whole, in: shop.repository.store) }
    let right = SizedContent(size: 5, content: content)
    #expect(try reader.contents(of: right, in: shop.repository.store) == "chunk".bytes)
  }
}
