// Saves put versions of a file side by side, a piece at a time. That comes to an end, and loses none of them.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct VersionPieceTests {
  let shop: RepositoryFixture
  let ticks = SaveTicks()

  init() throws {
    shop = try RepositoryFixture(parity: false)
  }

  func configure(_ lines: String) throws {
    let config = try shop.storeFolder.read("config".bytes)
    try shop.storeFolder.write("config".bytes, config + lines.bytes)
  }

  func open() throws -> Repository {
    ticks.begin()
    var options = RepositoryFixture.quick
    options.isDurable = true
    options.lockWait = 0
    options.upkeepClock = ticks.read
    return try Repository.find(from: BytePath(shop.folder.path), options: options)
  }

  /// A file of which a little changes in each version.
  func version(_ number: Int) -> [UInt8] {
    var bytes = Content.random(150_000, seed: 9000)
    for place in 0..<8 { bytes[number * 1310 % 140_000 + place] ^= UInt8(truncatingIfNeeded: number + 1) }
    return bytes
  }

  func saveVersions(_ numbers: Range<Int>, named: Bool = true) throws {
    for number in numbers {
      try shop.folder.write("file".bytes, version(number))
      try open().save(SaveOptions(name: named ? "v\(number)" : nil))
    }
  }

  /// Saves that change little, and have nothing to do with the versions.
  func saveOthers(_ numbers: Range<Int>) throws {
    for number in numbers {
      try shop.folder.write("other".bytes, "\(number)".bytes)
      try open().save()
    }
  }

  var collection: SpreadCollection? {
    get throws { SpreadCollection(try shop.storeFolder.read("cache/mark".bytes)) }
  }

  struct Sorted: Equatable {
    var blobs: Set<ObjectID> = []
    /// Of each pack with such blocks, their bytes before compression.
    var packs: [ObjectID: UInt64] = [:]
  }

  /// What lies beside other versions of its path.
  func sorted() throws -> Sorted {
    let index = try shop.reopened().store.index
    var result = Sorted()
    for pack in try index.presentPacks() {
      let contents = try index.contents(of: pack).contents
      var blobs = contents.blobs[...]
      for block in contents.blocks {
        if block.arrangement == .versions {
          result.blobs.formUnion(blobs.prefix(Int(block.blobCount)).map(\.id))
          result.packs[pack, default: 0] += UInt64(block.rawLength)
        }
        blobs = blobs.dropFirst(Int(block.blobCount))
      }
    }
    return result
  }

  func expectVersions(_ numbers: Range<Int>) throws {
    let again = try shop.reopened()
    #expect(try again.verify(readData: true).damage == [])
    for number in numbers {
      try shop.directory.write("written", [])
      let output = try shop.directory.descriptor.open("written".bytes, .readWrite)
      try again.write(Revision("v\(number)"), path: "file", to: output.raw)
      #expect(try shop.directory.read("written") == version(number))
    }
  }

  private func packSizes() throws -> [ObjectID: Int] {
    let packs = shop.storeFolder.folder("packs")
    var sizes: [ObjectID: Int] = [:]
    for name in try packs.names() { sizes[try #require(PackName.id(fromFileName: name))] = try packs.read(name).count }
    return sizes
  }

  private func neededByVersions(_ numbers: Range<Int>) throws -> BlobSet {
    let repository = try shop.reopened()
    var reachable = Reachability(repository)
    for number in numbers { try reachable.add(repository.snapshot(Revision("v\(number)")).id.object) }
    return reachable.release()
  }

  /// They take little afterwards, and are left alone once they are in order: however many collections come.
  /// `step`: how long a piece takes between two looks at the clock. With the long one a piece marks 16 objects, and comes
  /// after every third save, so that a collection takes a few hundred saves.
  @Test(arguments: [1, 300_000_000]) func versionsComeSideBySide(step: UInt64) throws {
    try configure("keep = 0s, 5\n")
    ticks.set(save: 1_000_000_000, step: step)
    try saveVersions(0..<40)
    let before = try packSizes().values.reduce(0, +)
    var others = 0
    while try collection?.header.phase != .idle || sorted().blobs.count < 30, others < 600 {
      try saveOthers(others..<(others + 1))
      if others % 200 == 0 { try expectVersions(0..<40) }
      others += 1
    }
    #expect(others < 600)
    try expectVersions(0..<40)
    var known = try packSizes()
    let after = known.values.reduce(0, +)
    #expect(after * 3 < before)
    let found = try sorted()
    var ends = 0
    var written = 0
    var wasIdle = true
    for number in 1000..<1800 where ends < 2 {
      try saveOthers(number..<(number + 1))
      for (pack, size) in try packSizes() where known.updateValue(size, forKey: pack) == nil { written += size }
      guard let collection = try collection else { continue }
      // It decides when it has looked at all packs.
      if collection.packs.isEmpty { #expect(collection.unsorted.isEmpty && collection.mixed.isEmpty) }
      if collection.header.phase == .idle, !wasIdle { ends += 1 }
      wasIdle = collection.header.phase == .idle
    }
    #expect(ends >= 2)
    #expect(try sorted().blobs == found.blobs)
    // What the saves wrote and merged is far less than the versions, which nobody has copied again.
    #expect(written < 1_000_000)
    // gc leaves them side by side, but for what the newest names need, and makes the store little smaller.
    let grown = try packSizes().values.reduce(0, +)
    _ = try shop.reopened().collectGarbage()
    let (old, new) = (try neededByVersions(0..<36), try neededByVersions(36..<40))
    let kept = found.blobs.filter { old.contains($0) && !new.contains($0) }
    #expect(kept.count > 20)
    #expect(try sorted().blobs.isSuperset(of: kept))
    #expect(try grown < packSizes().values.reduce(0, +) * 2 + 100_000)
    try expectVersions(0..<40)
  }

  /// Versions come and go, and each byte is sorted a few times at most.
  @Test func theWorkIsBounded() throws {
    try configure("keep = 0s, 10\n")
    ticks.set(save: 1_000_000_000, step: 1_000_000)
    var known: Set<ObjectID> = []
    var written: UInt64 = 0
    for number in 0..<160 {
      try saveVersions(number..<(number + 1), named: number % 4 == 0)
      for (pack, size) in try sorted().packs where known.insert(pack).inserted { written += size }
    }
    #expect(written > 0)
    #expect(written < 3 * 160 * 150_000)
    let again = try shop.reopened()
    #expect(try again.verify(readData: true).damage == [])
    #expect(try again.log().count < 100)
    for number in stride(from: 0, to: 160, by: 4) { try expectVersions(number..<(number + 1)) }
  }

  /// What the newest snapshots need stays where reading is fast.
  @Test func theNewestStayInTheWalk() throws {
    try configure("keep = 0s, 8\n")
    ticks.set(save: 1_000_000_000, step: 1)
    try saveVersions(0..<30)
    var others = 0
    while try sorted().blobs.isEmpty || collection?.header.phase != .idle, others < 200 {
      try saveOthers(others..<(others + 1))
      others += 1
    }
    #expect(others < 200)
    let repository = try shop.reopened()
    var reachable = Reachability(repository)
    try reachable.add(try #require(try repository.readRefs().timeline.current).snapshot)
    let needed = reachable.release()
    #expect(needed.count > 2)
    #expect(try sorted().blobs.allSatisfy { !needed.contains($0) })
  }

  /// A gc by hand has sorted versions. As they expire, their space comes back: the store stays within its budget.
  @Test func inABudget() throws {
    try configure("keep = 0s, 60\nmax-size = 12M\n")
    ticks.set(save: 1_000_000_000, step: 1000)
    let packs = shop.storeFolder.folder("packs")
    try saveVersions(0..<50, named: false)
    _ = try shop.reopened().collectGarbage()
    let before = try sorted()
    #expect(before.blobs.count > 20)
    for number in 50..<160 {
      try saveVersions(number..<(number + 1), named: number % 40 == 0)
      #expect(try packs.names().reduce(0) { try $0 + packs.read($1).count } < 12 << 20)
    }
    #expect(try sorted().blobs.intersection(before.blobs).count < before.blobs.count / 3)
    for number in [80, 120] { try expectVersions(number..<(number + 1)) }
  }

  /// The notes are lost at any moment: nothing else is.
  @Test func withoutItsNotes() throws {
    try configure("keep = 0s, 5\n")
    ticks.set(save: 1_000_000_000, step: 200_000_000)
    try saveVersions(0..<25)
    var before: [UInt8]?
    for number in 0..<120 {
      try saveOthers(number..<(number + 1))
      let phase = try? collection?.header.phase
      if number % 7 == 3, phase == .sweeping { try shop.storeFolder.remove("cache/mark".bytes) }
      // Older notes come back.
      if number % 7 == 5, let before { try shop.storeFolder.write("cache/mark".bytes, before) }
      if number % 7 == 4 { before = try? shop.storeFolder.read("cache/mark".bytes) }
      if number % 20 == 0 { try expectVersions(0..<25) }
    }
    try expectVersions(0..<25)
  }

  /// Nothing is sorted where the codec does not see far.
  @Test func withoutACodecForIt() throws {
    try configure("keep = 0s, 5\ncompression = zlib\n")
    ticks.set(save: 1_000_000_000, step: 1)
    try saveVersions(0..<20)
    try saveOthers(0..<40)
    #expect(try sorted().blobs.isEmpty)
    try expectVersions(0..<20)
  }
}
