// Reading many small blobs at once.

import MementoSystem
import TestSupport
import Testing

@testable import MementoStore

struct BulkReadTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture { $0.metaBlock = 4096 }
  }

  @Test func blobsComeInTheOrderAskedFor() throws {
    let store = try fixture.open()
    var blobs: [[UInt8]] = []
    for pack in 0..<7 {
      let some = (0..<40).map { Content.text(50 + $0 * 7, seed: UInt64(pack * 100 + $0)) }
      try store.put(some, .meta)
      blobs += some
    }
    var generator = SplitMix64(seed: 5)
    let asked = (0..<500).map { _ in blobs[Int(generator.next() % UInt64(blobs.count))] }
    let again = try fixture.open()
    #expect(try again.read(asked.map { ObjectID(hashing: $0) }) == asked)
    #expect(try again.read([]) == [])
  }

  /// A block is the same in whatever memory, and does not keep much more than it needs.
  @Test(arguments: [0, 100, 2999, 3000, 5000, 6000, 7000, 2 << 20]) func memoryIsUsedAgain(_ size: Int) throws {
    let store = try fixture.open()
    let blob = Content.text(3000, seed: 1)
    try store.put([blob], .meta)
    let place = try #require(try store.index.place(of: ObjectID(hashing: blob)))
    var reader = store.blobReader()
    let block = try reader.block(at: place, reusing: [UInt8](repeating: 7, count: size))
    #expect(block == blob && block.capacity <= 2 * blob.count)
    let shorter = Array([UInt8](repeating: 7, count: size).prefix(size / 2))
    #expect(try reader.block(at: place, reusing: shorter) == blob)
  }

  /// What was read ahead serves only what lies in it as a whole.
  @Test func readingAhead() throws {
    let store = try fixture.open()
    let blobs = (0..<6).map { Content.random(3000 + $0, seed: UInt64($0)) }
    try store.put(blobs, .meta)
    let places = try blobs.map { try #require(try store.index.place(of: ObjectID(hashing: $0))) }
    #expect(Set(places.map(\.block.offset)).count > 2)
    let ends = places.map { $0.block.offset + UInt64($0.block.storedLength) }
    let starts = places.map(\.block.offset)
    let (first, last) = (try #require(starts.min()), try #require(ends.max()))
    for range in [first..<last, first + 1..<last, first..<last - 1, first..<first + 10, 0..<first, last..<last + 100] {
      var reader = store.blobReader()
      reader.readAhead(range, ofPack: places[0].pack)
      for (blob, place) in zip(blobs, places) {
        let read = try reader.withBlob(ObjectID(hashing: blob), at: place) { Array($0) }.get()
        #expect(read == blob, "\(range)")
      }
    }
  }

  @Test func whatIsMissingOrDamagedIsSaid() throws {
    let store = try fixture.open()
    try store.put([Content.text(3000, seed: 1)], .meta)
    let there = ObjectID(hashing: Content.text(3000, seed: 1))
    #expect(outcome { try store.read([there, ObjectID(hashing: "nothing".bytes)]) } == .missing)
    let pack = try fixture.onlyFile("packs")
    var bytes = try fixture.directory.read(pack)
    bytes[100] ^= 1
    try fixture.directory.write(pack, bytes)
    #expect(outcome { try fixture.open().read([there]) } == .damaged)
    // An undamaged copy in another pack is enough.
    try fixture.empty("index")
    bytes[100] ^= 1
    let other = try StoreFixture()
    try other.open().put([Content.text(3000, seed: 1), Content.text(10, seed: 2)], .meta)
    let copy = try other.onlyFile("packs")
    try fixture.directory.write(copy, other.directory.read(copy))
    #expect(try fixture.open().read([there]) == [Content.text(3000, seed: 1)])
  }

  /// `contains` is for blobs that may be gone: it does not read all packs again.
  @Test func containsKnowsWhatIsThere() throws {
    let store = try fixture.open()
    try store.put([Content.text(100, seed: 1)], .meta)
    #expect(try store.index.contains(ObjectID(hashing: Content.text(100, seed: 1))))
    #expect(try !store.index.contains(ObjectID(hashing: Content.text(100, seed: 2))))
    // Another process saves a pack.
    let reader = try fixture.open()
    try fixture.open().put([Content.text(100, seed: 2)], .meta)
    #expect(try reader.index.contains(ObjectID(hashing: Content.text(100, seed: 2))))
    try fixture.empty("packs")
    let after = try fixture.open()
    try after.index.reconcile()
    #expect(try !after.index.contains(ObjectID(hashing: Content.text(100, seed: 1))))
  }
}
