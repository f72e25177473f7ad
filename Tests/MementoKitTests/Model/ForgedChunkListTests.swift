// Chunk lists that another program could write: each blob is whole, and they do not fit together. A content is read to the
// end in one way and at any place in another, and both find the same.

import MementoStore
import TestSupport
import Testing

@testable import MementoKit

struct ForgedChunkListTests {
  private let shop: RepositoryFixture
  private let chunk = Content.random(100, seed: 3)
  private let chunkID: ObjectID

  init() throws {
    shop = try RepositoryFixture()
    chunkID = try shop.plant(data: [chunk])[0]
  }

  private func plant(_ pieces: [(length: UInt64, id: ObjectID?)], level: UInt8) throws -> ObjectID {
    try shop.plant(meta: [AmplificationTests.list(pieces, level: level)])[0]
  }

  /// Whether the call finds damage. Any other failure fails the test.
  private func isDamaged(_ body: () throws -> [UInt8]) throws -> Bool {
    do {
      _ = try body()
      return false
    } catch let error as StoreError {
      #expect(error.isDamage, "\(error)")
      return true
    }
  }

  private func expect(isDamaged expected: Bool, size: UInt64, level: UInt8, _ id: ObjectID) throws {
    let content = SizedContent(size: size, content: FileContent(level: level, id: id))
    let store = shop.repository.store
    #expect(try isDamaged { try content.read(at: 50, count: 10, from: store) } == expected, "at a place")
    var reader = store.blobReader()
    #expect(try isDamaged { try reader.contents(of: content, in: store) } == expected, "as a whole")
  }

  @Test func whatFitsIsRead() throws {
    let list = try plant([(100, chunkID), (7, nil), (100, chunkID)], level: 2)
    try expect(isDamaged: false, size: 207, level: 2, list)
    let above = try plant([(207, list), (207, list)], level: 3)
    try expect(isDamaged: false, size: 414, level: 3, above)
  }

  /// Whoever follows it could not say how deep it goes.
  @Test func aListOfAnotherHeightIsDamage() throws {
    let list = try plant([(100, chunkID)], level: 2)
    let above = try plant([(100, list)], level: 3)
    let same = try plant([(100, list)], level: 2)
    // Lower and higher than the content says, or than the list above it.
    try expect(isDamaged: true, size: 100, level: 3, list)
    try expect(isDamaged: true, size: 100, level: 3, same)
    try expect(isDamaged: true, size: 100, level: 2, above)
    try expect(isDamaged: true, size: 100, level: 4, try plant([(100, list)], level: 4))
    try expect(isDamaged: true, size: 100, level: 4, try plant([(100, same)], level: 4))
  }

  /// The size is what a reader relies on: it makes room for so many bytes.
  @Test(arguments: [99, 101, 200] as [UInt64]) func aListOfAnotherLengthIsDamage(_ size: UInt64) throws {
    let list = try plant([(100, chunkID)], level: 2)
    try expect(isDamaged: true, size: size, level: 2, list)
    try expect(isDamaged: true, size: 200, level: 3, try plant([(size, list), (200 - min(size, 199), list)], level: 3))
  }

  /// Whoever writes a file must not get more than it has, not even before the list ends.
  @Test func noPieceGoesBeyondTheEnd() throws {
    let list = try plant([(100, chunkID), (100, chunkID), (1 << 40, nil)], level: 2)
    var pieces = ChunkListReader(FileContent(level: 2, id: list), size: 150, in: shop.repository.store)
    #expect(try pieces.next()?.length == 100)
    #expect(throws: StoreError.self) { try pieces.next() }
  }
}
