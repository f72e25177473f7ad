import Dispatch
import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

struct PackTests {
  static let blobs: [[UInt8]] = [
    [], [0], "text".bytes, Content.text(5000, seed: 1), Content.random(5000, seed: 2), Content.zeros(70_000),
    Content.random(256 << 10, seed: 3), Content.text(700_000, seed: 4),
  ]

  @Test(arguments: CodecTests.compressions, BlockKind.allCases)
  func blobsComeBack(_ compression: Compression, _ kind: BlockKind) throws {
    let fixture = try StoreFixture { $0.compression = compression }
    let store = try fixture.open()
    let ids = try store.put(PackTests.blobs, kind)
    #expect(ids == PackTests.blobs.map { ObjectID(hashing: $0) })
    for store in [store, try fixture.open()] {
      var reader = store.blobReader()
      for (id, blob) in zip(ids, PackTests.blobs) {
        #expect(try store.read(id) == blob)
        let again = try reader.read(id)
        #expect(again == blob)
        let kinds = try store.index.places(of: id).map(\.block.kind)
        #expect(kinds == [kind])
      }
    }
    let place = try store.index.places(of: ids[0]).first
    let pack = try #require(place.map { store.index.packID($0.pack) })
    #expect(try fixture.onlyFile("packs") == "packs/\(pack).pack")
    #expect(try fixture.files("tmp").isEmpty)
  }

  /// What is not relied on is stored again, under the same name.
  @Test(arguments: [true, false])
  func aPackTakesThePlaceOfOneWithItsName(_ isDurable: Bool) throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let ids = try store.put([Content.random(5000, seed: 1)])
    let name = try fixture.onlyFile("packs")
    let bytes = try fixture.directory.read(name)
    try fixture.directory.write(name, Content.flipping(bytes, bit: 800))
    let again = try fixture.open()
    if isDurable { again.folder.flushesAlways(true) }
    let writer = try again.packWriter(ignoring: Set(try again.index.presentPacks()))
    _ = try again.add([Content.random(5000, seed: 1)], to: writer)
    try writer.finish()
    #expect(try fixture.onlyFile("packs") == name)
    #expect(try fixture.directory.read(name) == bytes)
    #expect(try fixture.files("tmp").isEmpty)
    #expect(try again.read(ids[0]) == Content.random(5000, seed: 1))
  }

  @Test func manySmallBlobsShareBlocks() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let blobs = (0..<2000).map { "blob \($0)".bytes }
    let ids = try store.put(blobs)
    let places = try ids.compactMap { try store.index.place(of: $0) }
    #expect(Set(places.map(\.block.offset)).count == 1)
    for (id, blob) in zip(ids, blobs).shuffledBySeed() { #expect(try store.read(id) == blob) }
  }

  @Test func oneClaimIsGranted() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let writer = try store.packWriter()
    let granted = Mutex(0)
    let ids = (0..<500).map { ObjectID(hashing: "\($0)".bytes) }
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for id in ids where writer.claim(id) { granted.withLock { $0 += 1 } }
    }
    #expect(granted.withLock { $0 } == 500)
    #expect(writer.contains(ids[0]))
    #expect(!writer.contains(ObjectID(hashing: "other".bytes)))
    writer.discard()
  }

  @Test func whatIsThereIsNotStoredAgain() throws {
    let fixture = try StoreFixture()
    try fixture.open().put(PackTests.blobs)
    let store = try fixture.open()
    let writer = try store.packWriter()
    let new = try store.add(PackTests.blobs + ["new".bytes], to: writer)
    #expect(new == [ObjectID(hashing: "new".bytes)])
    #expect(writer.contains(ObjectID(hashing: PackTests.blobs[3])))
    #expect(writer.bytesStored == 3)
    try writer.finish()
    #expect(try fixture.files("packs").count == 2)
    #expect(try store.put(PackTests.blobs).isEmpty)
    #expect(try fixture.files("packs").count == 2)
  }

  @Test func nothingIsVisibleBeforeTheEnd() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let writer = try store.packWriter()
    let ids = try store.add(PackTests.blobs, to: writer)
    #expect(try fixture.files("packs").isEmpty)
    #expect(outcome { try store.read(ids[3]) } == .missing)
    #expect(outcome { try fixture.open().read(ids[3]) } == .missing)
    try writer.finish()
    #expect(try store.read(ids[3]) == PackTests.blobs[3])
  }

  /// Nothing goes on as if it were an old damage: that would leave out what this process is about to commit.
  @Test(arguments: ["cut", "changed"])
  func whatWasJustWrittenAndReadsDifferentlyIsNoOldDamage(_ fault: String) throws {
    let fixture = try StoreFixture { $0.compression = .zstd(level: 1) }
    let store = try fixture.open()
    let writer = try store.packWriter()
    let ids = try store.add([Content.text(5000, seed: 1)], .meta, to: writer)
    let pending = writer.pendingObjects()
    let name = try fixture.onlyFile("tmp")
    let bytes = try fixture.directory.read(name)
    let file = try fixture.directory.descriptor.open(name.bytes, .readWrite)
    if fault == "cut" {
      try file.truncate(to: 0)
    } else {
      try file.write([UInt8](repeating: 0, count: bytes.count), at: 0)
    }
    var failure: StoreError?
    do throws(StoreError) { _ = try pending.read(ids[0]) } catch { failure = error }
    let error = try #require(failure)
    #expect(!error.isDamage, "\(error)")
    writer.discard()
  }

  @Test func discardLeavesNothing() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let writer = try store.packWriter()
    _ = try store.add(PackTests.blobs, to: writer)
    #expect(try fixture.files("tmp").count == 1)
    writer.discard()
    for folder in ["tmp", "packs", "index"] { #expect(try fixture.files(folder).isEmpty) }
    // The next writer can store the blobs.
    #expect(try store.put(PackTests.blobs).count == PackTests.blobs.count)
  }

  @Test func aWriterWithoutBlobsMakesNoPack() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    try store.packWriter().finish()
    for folder in ["tmp", "packs", "index"] { #expect(try fixture.files(folder).isEmpty) }
  }

  @Test func workersWriteSideBySide() throws {
    let fixture = try StoreFixture { $0.dataBlock = 4096 }
    let store = try fixture.open()
    let writer = try store.packWriter()
    let failures = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 4) { worker in
      let blobs = (0..<100).map { Content.text(500 + $0, seed: UInt64($0 + worker * 50)) }
      if (try? store.add(blobs, to: writer)) == nil { failures.withLock { $0 += 1 } }
    }
    try writer.finish()
    #expect(failures.withLock { $0 } == 0)
    let fresh = try fixture.open()
    for seed in 0..<250 {
      for worker in 0..<4 where (0..<100).contains(seed - worker * 50) {
        let blob = Content.text(500 + seed - worker * 50, seed: UInt64(seed))
        #expect(try fresh.read(ObjectID(hashing: blob)) == blob)
      }
    }
  }

  @Test func aBlobThatNoReaderTakesIsRefused() throws {
    let fixture = try StoreFixture { $0.compression = .zstd(level: 1) }
    let store = try fixture.open()
    let blob = Content.zeros(PackFormat.largestBlock + 1)
    let writer = try store.packWriter()
    #expect(throws: StoreError.self) { _ = try store.add([blob], .meta, to: writer) }
    writer.discard()
    let largest = Array(blob.dropLast())
    let ids = try store.put(["small".bytes, largest, "another".bytes], .meta)
    let fresh = try fixture.open()
    for id in ids { #expect(outcome { try fresh.read(id) } == .done) }
  }

  @Test(arguments: [4096, 8 << 20])
  func blocksStayReadableAtTheEndsOfTheirSettings(_ size: Int) throws {
    let fixture = try StoreFixture {
      $0.metaBlock = size
      $0.compression = .none
    }
    // A block that is nearly full, and then a blob larger than the rest of it.
    let blobs = [Content.random(size - 1, seed: 1), Content.random(size * 4, seed: 2), Content.random(9, seed: 3)]
    let ids = try fixture.open().put(blobs, .meta)
    try fixture.empty("index")
    let store = try fixture.open()
    for (id, blob) in zip(ids, blobs) { #expect(try store.read(id) == blob) }
  }

  @Test func aLimitIsKept() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let id = try store.put([Content.zeros(1000)])[0]
    var reader = store.blobReader()
    let tooLarge = outcome { try reader.read(id, limit: 999) }
    let fits = outcome { try reader.read(id, limit: 1000) }
    #expect(tooLarge == .damaged)
    #expect(fits == .done)
  }
}

extension Sequence {
  fileprivate func shuffledBySeed() -> [Element] {
    var generator = SplitMix64(seed: 99)
    return shuffled(using: &generator)
  }
}
