import MementoSystem
import TestSupport
import Testing

@testable import MementoStore

struct PackDamageTests {
  static let blobs = [Content.text(150, seed: 1), Content.text(90, seed: 2), "x".bytes]
  let ids = PackDamageTests.blobs.map { ObjectID(hashing: $0) }

  private func stored(_ compression: Compression) throws -> (StoreFixture, pack: String, bytes: [UInt8]) {
    let fixture = try StoreFixture { $0.compression = compression }
    try fixture.open().put(PackDamageTests.blobs)
    let pack = try fixture.onlyFile("packs")
    return (fixture, pack, try fixture.directory.read(pack))
  }

  /// How many blobs can be read. Each of these must be right.
  private func readable(_ fixture: StoreFixture) throws -> Int {
    let store = try fixture.open()
    var count = 0
    for (id, blob) in zip(ids, PackDamageTests.blobs) {
      guard let bytes = try? store.read(id) else { continue }
      #expect(bytes == blob)
      count += 1
    }
    return count
  }

  @Test(arguments: [Compression.none, .zlib(level: 6), .zstd(level: 1)], [true, false])
  func noDamageGivesOtherBytes(_ compression: Compression, _ hasIndex: Bool) throws {
    let (fixture, pack, bytes) = try stored(compression)
    if !hasIndex { try fixture.empty("index") }
    var lost = 0
    for place in 0..<bytes.count {
      try fixture.directory.write(pack, Content.flipping(bytes, bit: place * 8 + place % 8))
      lost += PackDamageTests.blobs.count - (try readable(fixture))
    }
    #expect(lost > 0)
    try fixture.directory.write(pack, bytes)
    #expect(try readable(fixture) == PackDamageTests.blobs.count)
  }

  @Test(arguments: [true, false])
  func noTruncationGivesOtherBytes(_ hasIndex: Bool) throws {
    let (fixture, pack, bytes) = try stored(.zstd(level: 1))
    if !hasIndex { try fixture.empty("index") }
    for length in 0..<bytes.count {
      try fixture.directory.write(pack, Array(bytes.prefix(length)))
      let count = try readable(fixture)
      if !hasIndex { #expect(count == 0) }
    }
  }

  /// The table is right, and nothing is compressed: only the ids tell that a blob is another.
  @Test func aCheckOfAPackComparesEachBlob() throws {
    let (fixture, pack, bytes) = try stored(.none)
    let name = try #require(PackName.id(fromFileName: pack.utf8.dropFirst("packs/".utf8.count)))
    func check() throws {
      let file = try fixture.open().packs.open(name)
      try PackCheck.readBlobs(file, of: try PackCheck.contents(file, named: name))
    }
    try check()
    for blob in PackDamageTests.blobs {
      let place = try #require(bytes.indices.first { bytes[$0...].starts(with: blob) })
      try fixture.directory.write(pack, Content.flipping(bytes, bit: place * 8))
      #expect(outcome { try check() } == .damaged)
    }
  }

  @Test func aPackThatIsNoFileIsNotFollowedAndDoesNotBlock() throws {
    for hasIndex in [true, false] {
      let (fixture, pack, bytes) = try stored(.none)
      if !hasIndex { try fixture.empty("index") }
      let root = fixture.directory
      try root.descriptor.removeFile(pack.bytes)
      #expect(try readable(fixture) == 0)
      try root.descriptor.makeDirectory(pack.bytes)
      #expect(try readable(fixture) == 0)
      try root.descriptor.removeDirectory(pack.bytes)
      try root.write("elsewhere", bytes)
      try root.descriptor.makeSymbolicLink(pack.bytes, target: "../elsewhere".bytes)
      #expect(try readable(fixture) == 0)
      try root.descriptor.removeFile(pack.bytes)
      try root.descriptor.makeNode(pack.bytes, kind: .fifo, permissions: 0o600, major: 0, minor: 0)
      #expect(try readable(fixture) == 0)
    }
  }

  @Test func swappedPacksAreNoticed() throws {
    let fixture = try StoreFixture { $0.compression = .none }
    let first = try fixture.open().put([Content.text(100, seed: 1)])[0]
    let second = try fixture.open().put([Content.text(100, seed: 2)])[0]
    let packs = try fixture.files("packs")
    try fixture.directory.rename("packs/\(packs[0])", to: "packs/\(packs[1])", .exchange)
    for hasIndex in [true, false] {
      if !hasIndex { try fixture.empty("index") }
      let store = try fixture.open()
      for id in [first, second] {
        // A read may fail or succeed, but it never returns other bytes.
        if let bytes = try? store.read(id) { #expect(ObjectID(hashing: bytes) == id) }
      }
    }
  }

  @Test func theGoodCopyIsUsed() throws {
    let blob = Content.random(3000, seed: 5)
    let id = ObjectID(hashing: blob)
    let fixture = try StoreFixture { $0.compression = .none }
    try fixture.open().put([blob])
    // Store the same blob in a second pack, while the first pack is hidden.
    let root = fixture.directory
    let first = try fixture.onlyFile("packs")
    try root.rename(first, to: "hidden")
    try fixture.empty("index")
    try fixture.open().put([blob, "other".bytes])
    let second = try fixture.onlyFile("packs")
    try root.rename("hidden", to: first)
    try fixture.empty("index")
    for (bad, hasIndex) in [(first, false), (second, false), (first, true), (second, true)] {
      if hasIndex { try fixture.open().index.rebuild() } else { try fixture.empty("index") }
      let bytes = try fixture.directory.read(bad)
      try fixture.directory.write(bad, Content.flipping(bytes, bit: 8 * 100))
      let store = try fixture.open()
      try store.index.reconcile()
      #expect(try store.index.places(of: id).count == 2)
      #expect(outcome { try store.read(id) } == .done)
      try fixture.directory.write(bad, bytes)
    }
  }

  /// The next save stores blobs of a damaged pack again.
  @Test(arguments: [0, 1, 50, 150])
  func aTruncatedPackIsWrittenAgain(_ length: Int) throws {
    let (fixture, pack, bytes) = try stored(.zstd(level: 1))
    try fixture.directory.write(pack, Array(bytes.prefix(length)))
    let store = try fixture.open()
    #expect(ids.allSatisfy { !store.index.hasIntactCopy($0) })
    #expect(try store.put(PackDamageTests.blobs) == ids)
    for (id, blob) in zip(ids, PackDamageTests.blobs) {
      #expect(outcome { try store.read(id) } == .done)
      #expect(try fixture.open().read(id) == blob)
    }
    try fixture.empty("index")
    #expect(try readable(fixture) == PackDamageTests.blobs.count)
    #expect(try fixture.files("tmp").isEmpty)
  }

  @Test func aDamagedPackIsAProblem() throws {
    let (fixture, pack, bytes) = try stored(.none)
    try fixture.empty("index")
    try fixture.directory.write(pack, Content.flipping(bytes, bit: (bytes.count - 100) * 8))
    let store = try fixture.open()
    try store.index.reconcile()
    #expect(store.index.problems.count == 1)
    #expect(outcome { try store.index.rebuild() } == .damaged)
    #expect(outcome { try store.read(ids[0]) } == .missing)
  }
}
