// A cache of which a bit has flipped is no cache: what it says of the folder is believed without looking.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct StatCacheDamageTests {
  @Test func eachFlippedBitOfItsHeadAndItsListOfPacks() throws {
    let shop = try RepositoryFixture()
    for number in 0..<5 { try shop.folder.write("f\(number)".bytes, Content.random(500, seed: UInt64(number))) }
    try shop.save("one")
    try shop.folder.write("more".bytes, "more".bytes)
    try shop.save("two")
    let again = try shop.reopened()
    let packs = try again.store.index.intactPacks()
    #expect(packs.count == 2)
    let identity = try shop.repository.root.descriptor.status().identity
    func opened() -> StatCache? { StatCache(again.worktree, of: identity, presentPacks: packs) }
    #expect(opened()?.coversPacks == true)
    let file = "cache/stat".bytes
    let bytes = try shop.storeFolder.read(file)
    // The list of packs comes last, with its checksum.
    let list = bytes.count - (packs.count * 8 + 4)
    for place in Array(0..<StatCache.headerSize) + Array(list..<bytes.count) {
      try shop.storeFolder.write(file, Content.flipping(bytes, bit: place * 8 + place % 8))
      #expect(opened() == nil, "byte \(place)")
    }
    try shop.storeFolder.write(file, bytes)
    #expect(opened() != nil)
    // That of another folder.
    let other = try Descriptor.open(shop.storeFolder.path, .directory).status().identity
    #expect(StatCache(again.worktree, of: other, presentPacks: packs) == nil)
  }

  /// A later version may mean something else by the same fields. Its checksum is right.
  @Test func aCacheOfAnotherFormatIsNotRead() throws {
    let shop = try RepositoryFixture()
    try shop.folder.write("file".bytes, "x".bytes)
    try shop.save("one")
    let identity = try shop.repository.root.descriptor.status().identity
    func opened() -> StatCache? { StatCache(shop.repository.worktree, of: identity, presentPacks: nil) }
    #expect(opened() != nil)
    var header = try Array(shop.storeFolder.read("cache/stat".bytes).prefix(StatCache.headerSize - 4))
    header.replaceSubrange(..<StatCache.magic.count, with: "memento stat 2\n\0".bytes)
    var sum = ByteWriter()
    sum.u32(crc32(header))
    try shop.storeFolder.patch("cache/stat".bytes, header + sum.bytes, at: 0)
    #expect(opened() == nil)
  }

  /// The bytes of a record, which may say that it is longer or shorter than it is.
  private func record(_ tree: String, length: Int? = nil, size: Int) -> [UInt8] {
    var body = ByteWriter()
    body.u64(1)
    body.u64(2)
    body.id(ObjectID(hashing: tree.bytes))
    body.varint(0)
    let bytes = body.bytes + Content.zeros(size - body.bytes.count)
    var head = ByteWriter()
    head.u32(UInt32(length ?? size))
    head.u32(crc32(bytes))
    return head.bytes + bytes
  }

  /// A save reads what it has written so far. What is not behind the header, or not wholly before the end that it knows, is
  /// no record, whatever the bytes say: an offset of 0 says that there is none.
  @Test func aRecordLiesBetweenTheHeaderAndTheEnd() throws {
    let folder = try TemporaryDirectory()
    let start = StatCache.headerSize
    let first = record("at 0", size: start - 8)
    #expect(first.count == start)
    let second = record("behind the header", size: 100)
    let third = record("at the end", size: 100)
    try folder.write("stat", first + second + third)
    func tree(at offset: Int, end: Int) throws -> ObjectID? {
      let file = try folder.descriptor.open("stat".bytes, .read)
      return StatCache(writtenTo: file, end: UInt64(end), root: 0).directory(at: UInt64(offset))?.tree
    }
    let (middle, end) = (start + second.count, start + second.count + third.count)
    #expect(try tree(at: start, end: end) == ObjectID(hashing: "behind the header".bytes))
    #expect(try tree(at: middle, end: end) == ObjectID(hashing: "at the end".bytes))
    #expect(try tree(at: 0, end: end) == nil)
    // The end lies before the record, at it, and in it.
    #expect(try tree(at: middle, end: start) == nil && tree(at: middle, end: middle) == nil)
    #expect(try tree(at: middle, end: middle + 50) == nil)
    #expect(try tree(at: end, end: end) == nil && tree(at: .max, end: end) == nil)
  }

  /// The file was cut short after it was opened. The checksum is that of what is left.
  @Test func aRecordThatIsNotThereAsAWholeIsNotRead() throws {
    let folder = try TemporaryDirectory()
    let length = 5000
    try folder.write("stat", Content.zeros(StatCache.headerSize) + record("cut", length: length, size: length - 1))
    let file = try folder.descriptor.open("stat".bytes, .read)
    let cache = StatCache(writtenTo: file, end: UInt64(StatCache.headerSize + 8 + length), root: 0)
    #expect(cache.directory(at: UInt64(StatCache.headerSize)) == nil)
    try folder.write("stat", Content.zeros(StatCache.headerSize) + record("whole", size: length))
    let whole = StatCache(
      writtenTo: try folder.descriptor.open("stat".bytes, .read), end: UInt64(StatCache.headerSize + 8 + length),
      root: 0)
    #expect(whole.directory(at: UInt64(StatCache.headerSize))?.tree == ObjectID(hashing: "whole".bytes))
  }
}
