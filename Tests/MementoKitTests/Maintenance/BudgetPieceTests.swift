// Saves keep a store within its budget by themselves, however short they are, and lose no named state for it.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct BudgetPieceTests {
  private let shop: RepositoryFixture
  private let ticks = SaveTicks()

  init() throws {
    shop = try RepositoryFixture()
    // So short that a save may spend less on a piece than two looks at the clock take.
    ticks.set(save: 10_000, step: 3000)
  }

  private func configure(_ lines: String) throws {
    let config = try shop.storeFolder.read("config".bytes)
    try shop.storeFolder.write("config".bytes, config + lines.bytes)
  }

  private func open() throws -> Repository {
    ticks.begin()
    var options = RepositoryFixture.quick
    options.isDurable = true
    options.lockWait = 0
    options.upkeepClock = ticks.read
    return try Repository.find(from: BytePath(shop.folder.path), options: options)
  }

  private func content(_ number: Int, _ count: Int = 3000) -> [UInt8] {
    Content.random(count, seed: UInt64(number) + 1)
  }

  private func save(_ number: Int, _ count: Int = 3000, named: Bool = false) throws {
    try shop.folder.write("file".bytes, content(number, count))
    try open().save(SaveOptions(name: named ? "n\(number)" : nil))
  }

  /// Bytes of all files of the store.
  private var size: Int { get throws { try size(shop.storeFolder) } }

  private func size(_ folder: FolderTools) throws -> Int {
    try folder.names().reduce(0) { sum, name in
      let inner = FolderTools(folder.absolute(name))
      if let below = try? size(inner) { return sum + below }
      return sum + (try folder.read(name).count)
    }
  }

  private var header: SpreadCollection.Header? {
    get throws { SpreadCollection(try shop.storeFolder.read("cache/mark".bytes))?.header }
  }

  private func expectNamed(_ numbers: [Int], _ count: Int = 3000) throws {
    let again = try shop.reopened()
    #expect(try again.verify(readData: true).damage == [])
    for number in numbers {
      try shop.directory.write("written", [])
      let output = try shop.directory.descriptor.open("written".bytes, .readWrite)
      try again.write(Revision("n\(number)"), path: "file", to: output.raw)
      #expect(try shop.directory.read("written") == content(number, count))
    }
  }

  /// A budget that comes late: the next save makes room, all of it, also when it has the time to merge packs.
  @Test(arguments: [10_000, 10_000_000_000]) func oneSaveMakesRoom(time: UInt64) throws {
    ticks.set(save: time, step: 3000)
    try configure("auto-gc = false\n")
    for number in 0..<80 { try save(number, named: number % 30 == 0) }
    #expect(try size > 500_000)
    try configure("auto-gc = true\nmax-size = 300k\n")
    try save(80)
    #expect(try size <= 300 << 10)
    #expect(try shop.reopened().log().count > 10)
    try expectNamed([0, 30, 60])
  }

  /// A save was killed after it had merged packs, while it removed the old ones: first goes their parity. All that is
  /// needed is there twice.
  @Test(arguments: [true, false]) func roomAfterAKilledMerge(withParity: Bool) throws {
    try configure("auto-gc = false\n")
    for number in 0..<80 { try save(number, named: number % 30 == 0) }
    let folders = ["packs", "parity"].map { shop.storeFolder.folder($0) }
    var files: [(folder: FolderTools, name: [UInt8], bytes: [UInt8])] = []
    for folder in withParity ? folders : [folders[0]] {
      for name in try folder.names() { files.append((folder, name, try folder.read(name))) }
    }
    let store = try open().store
    do {
      let lock = try store.locks.take(RemovesPacks.self, upgrading: false, waiting: 0)
      let merge = PackMerge(store)
      let merged = try merge.run(
        merge.packs(copyingAtMost: .max), holding: lock, while: { true }, note: { _, _ in })
      #expect(merged > 60)
    }
    for file in files { try file.folder.write(file.name, file.bytes) }
    #expect(try folders[0].names().count > 80)
    try configure("auto-gc = true\nmax-size = 300k\n")
    for number in 80..<83 { try save(number) }
    #expect(try size <= 300 << 10)
    // Nothing is there twice any more.
    let index = try shop.reopened().store.index
    var seen: Set<ObjectID> = []
    for pack in try index.presentPacks() {
      for blob in try index.contents(of: pack).contents.blobs { #expect(seen.insert(blob.id).inserted) }
    }
    #expect(try shop.reopened().log().count > 10)
    try expectNamed([0, 30, 60])
  }

  /// gc has put versions side by side, and then room is needed: their packs are rewritten, and they stay side by side.
  @Test func roomInPacksOfVersions() throws {
    try configure("auto-gc = false\n")
    for number in 0..<80 { try save(number, 12_000, named: number % 30 == 0) }
    _ = try shop.reopened().collectGarbage()
    let before = try sorted()
    #expect(before.blobs.count > 60 && before.bytes > 600_000)
    try configure("auto-gc = true\nmax-size = 700k\n")
    for number in 80..<83 { try save(number, 12_000) }
    #expect(try size <= 700 << 10)
    let after = try sorted()
    #expect(after.blobs.isSubset(of: before.blobs))
    #expect(after.blobs.count > 10 && after.bytes < before.bytes / 4 * 3)
    #expect(after.blocks <= before.blocks)
    let steps = try shop.reopened().log().count
    #expect(steps > 10 && steps < 80)
    try expectNamed([0, 30, 60], 12_000)
  }

  /// What lies beside other versions of its path.
  private func sorted() throws -> (blobs: Set<ObjectID>, bytes: Int, blocks: Int) {
    let index = try shop.reopened().store.index
    var result: (blobs: Set<ObjectID>, bytes: Int, blocks: Int) = ([], 0, 0)
    for pack in try index.presentPacks() {
      let contents = try index.contents(of: pack).contents
      var blobs = contents.blobs[...]
      for block in contents.blocks {
        if block.arrangement == .versions {
          result.blobs.formUnion(blobs.prefix(Int(block.blobCount)).map(\.id))
          result.bytes += Int(block.rawLength)
          result.blocks += 1
        }
        blobs = blobs.dropFirst(Int(block.blobCount))
      }
    }
    return result
  }

  /// Each save is too short for a piece. The store stays within its budget all the same.
  @Test func shortSavesStayWithinIt() throws {
    try configure("max-size = 400k\n")
    var collections = 0
    var before: SpreadCollection.Header?
    for number in 0..<300 {
      try save(number, named: number % 60 == 0)
      #expect(try size <= 400 << 10, "after \(number)")
      let now = try header
      if let before, let now, before.phase != .idle, now.phase == .idle { collections += 1 }
      before = now
    }
    #expect(collections > 0)
    #expect(try shop.reopened().log().count > 10)
    try expectNamed([0, 60, 120, 180, 240])
  }

  /// Much comes at once, also while a collection is under way.
  @Test func muchAtOnce() throws {
    try configure("max-size = 1M\n")
    for number in 0..<60 {
      try save(number, number % 7 == 0 ? 200_000 : 5000, named: number == 20)
      #expect(try size <= 1 << 20, "after \(number)")
    }
    try expectNamed([20], 5000)
  }

  /// What names keep takes more than the budget. The saves after it are in no hurry, and merge packs as ever.
  @Test func namesMayTakeMore() throws {
    try configure("max-size = 200k\n")
    for number in 0..<80 { try save(number, named: true) }
    #expect(try size > 200 << 10)
    var hurries = 0
    for number in 80..<140 {
      try save(number)
      if CollectionPiece(repository: try open(), clock: ticks.read).hurry() != .none { hurries += 1 }
    }
    #expect(hurries < 10)
    try expectNamed([0, 40, 79])
    ticks.set(save: 1_000_000_000, step: 1)
    for number in 140..<200 { try save(number) }
    #expect(try shop.storeFolder.folder("packs").names().count < 60)
    #expect(try shop.reopened().log().count < 190)
    try expectNamed([0, 40, 79])
  }

  /// Somebody reads, and nothing can be removed. Then the next save makes room.
  @Test func itWaitsForNobody() throws {
    try configure("max-size = 200k\n")
    let other = try shop.reopened()
    do {
      let lock = try other.lockForReading()
      for number in 0..<80 { try save(number) }
      #expect(try size > 200 << 10)
      #expect(try shop.reopened().log().count == 80)
      _ = consume lock
    }
    try save(80)
    #expect(try size <= 200 << 10)
    try expectNamed([])
  }

  /// Where the notes cannot be written, a save ends as ever.
  @Test func withoutRoomForItsNotes() throws {
    try configure("max-size = 100k\n")
    for number in 0..<10 { try save(number) }
    try? shop.storeFolder.remove("cache/mark".bytes)
    try shop.storeFolder.makeFolder("cache/mark".bytes)
    try shop.storeFolder.write("cache/mark/in the way".bytes, [])
    for number in 10..<50 { try save(number) }
    #expect(try shop.reopened().log().count == 50)
  }

  /// A file of an earlier version, which does not say what the collection began with.
  @Test func aFileOfAnEarlierVersion() throws {
    try configure("max-size = 400k\nkeep = 0s, 2\n")
    ticks.set(save: 1_000_000_000, step: 1)
    var number = 0
    while try number < 2 || header?.phase != .sweeping, number < 200 {
      try save(number)
      number += 1
    }
    var collection = try #require(SpreadCollection(try shop.storeFolder.read("cache/mark".bytes)))
    #expect(collection.header.base > 0)
    collection.header.base = 0
    try shop.storeFolder.write("cache/mark".bytes, collection.encoded())
    while try header?.phase != .idle, number < 300 {
      try save(number)
      number += 1
    }
    let end = try #require(try header)
    #expect(number < 300 && end.packBytes > 0 && end.base == 0)
    try expectNamed([])
  }

  @Test func whatComesMeanwhileCountsAsGrowth() {
    var header = SpreadCollection.Header()
    header.note(10, 5)
    #expect(header.base == 0)
    header.base = 100
    header.note(100, 40)
    #expect(header.base == 40)
    header.note(90, 95)
    #expect(header.base == 45)
    header.note(90, 10)
    #expect(header.base == 1)
    header.base = .max
    header.note(0, 10)
    #expect(header.base == 1)
  }
}
