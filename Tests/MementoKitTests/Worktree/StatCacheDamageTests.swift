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
}
