// Saves drop what the policy does not hold, a piece at a time, and nothing else, whatever happens between two pieces.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct CollectionPieceTests {
  private let shop: RepositoryFixture
  private let ticks = SaveTicks()
  private let clock = TestClock()

  init() throws {
    shop = try RepositoryFixture()
  }

  private func configure(_ lines: String) throws {
    let config = try shop.storeFolder.read("config".bytes)
    try shop.storeFolder.write("config".bytes, config + lines.bytes)
  }

  /// Opens the store as a process of its own would.
  private func open() throws -> Repository {
    ticks.begin()
    var options = RepositoryFixture.quick
    options.isDurable = true
    options.lockWait = 0
    options.upkeepClock = ticks.read
    options.clock = clock.read
    return try Repository.find(from: BytePath(shop.folder.path), options: options)
  }

  @discardableResult
  private func save(_ name: String? = nil) throws -> SaveSummary { try open().save(SaveOptions(name: name)) }

  private static func content(_ number: Int, _ count: Int = 3000) -> [UInt8] {
    Content.random(count, seed: UInt64(number) + 1)
  }

  private func save(_ numbers: Range<Int>, named: Int = 0) throws {
    for number in numbers {
      try shop.folder.write("file".bytes, CollectionPieceTests.content(number))
      try save(named > 0 && number % named == 0 ? "n\(number)" : nil)
    }
  }

  private var collection: SpreadCollection? {
    get throws { SpreadCollection(try shop.storeFolder.read("cache/mark".bytes)) }
  }

  private func phase() throws -> SpreadCollection.Phase? { try collection?.header.phase }

  private var packBytes: Int {
    get throws {
      let packs = shop.storeFolder.folder("packs")
      return try packs.names().reduce(0) { try $0 + packs.read($1).count }
    }
  }

  private func expectWhole() throws {
    #expect(try shop.reopened().verify(readData: true).damage == [])
  }

  /// The content of the file in a snapshot.
  private func file(_ revision: String) throws -> [UInt8] {
    try shop.directory.write("written", [])
    let output = try shop.directory.descriptor.open("written".bytes, .readWrite)
    try shop.reopened().write(Revision(revision), path: "file", to: output.raw)
    return try shop.directory.read("written")
  }

  @Test func whatExpiredLeavesWithoutAGC() throws {
    try configure("keep = 0s, 10\n")
    try save(0..<120, named: 25)
    let log = try shop.reopened().log()
    #expect(log.count >= 10 && log.count < 70)
    #expect(try packBytes < 80 * 4000)
    try expectWhole()
    for number in stride(from: 0, to: 120, by: 25) {
      #expect(try file("n\(number)") == CollectionPieceTests.content(number))
    }
    for back in 0..<10 { #expect(try file("@~\(back)") == CollectionPieceTests.content(119 - back)) }
    // gc finds little to drop.
    #expect(try shop.reopened().collectGarbage().stepsDropped < 50)
  }

  @Test func itCanBeTurnedOff() throws {
    try configure("keep = 0s, 5\nauto-gc = false\n")
    try save(0..<60)
    #expect(try shop.reopened().log().count == 60)
    #expect(try shop.storeFolder.folder("cache").names().contains("mark".bytes) == false)
  }

  /// What is younger than `keep` says stays; with time it goes.
  @Test func ageCounts() throws {
    try configure("keep = 10d, 2\n")
    try save(0..<60)
    #expect(try shop.reopened().log().count == 60)
    clock.pass(seconds: 11 * 86400)
    try save(60..<90)
    let log = try shop.reopened().log()
    #expect(log.count < 45 && log.count >= 30)
    try expectWhole()
  }

  @Test func theTrashIsLeftAlone() throws {
    try configure("keep = 0s, 4\ntrash = 0s\n")
    try save(0..<5)
    let repository = try open()
    try repository.saveValues([NamedValue(name: "v", bytes: CollectionPieceTests.content(7000))])
    let gone = try repository.delete(["v"])
    try repository.saveValues([NamedValue(name: "w", bytes: "one".bytes)])
    try repository.saveValues([NamedValue(name: "w", bytes: "two".bytes)])
    _ = try repository.undo(1)
    try configure("max-size = 20k\n")
    clock.pass(seconds: 100 * 86400)
    try save(5..<80)
    let again = try shop.reopened()
    #expect(try again.log().count < 40)
    _ = try again.name(Revision(gone[0].snapshot.description), as: "back")
    #expect(try again.content(ofState: "back") == .value(CollectionPieceTests.content(7000)))
    let refs = try again.store.refs.read()
    let entries = try again.store.refs.trash(refs)
    #expect(Set(entries.map(\.reason)) == [.deleted, .replaced, .undone])
    for entry in entries { #expect(try again.store.index.contains(entry.snapshot)) }
    try expectWhole()
  }

  /// The store stays within its budget, and names stay whatever they take.
  @Test func theBudgetHolds() throws {
    try configure("max-size = 400k\n")
    for number in 0..<150 {
      try save(number..<(number + 1), named: 40)
      #expect(try packBytes < 400 << 10)
    }
    #expect(try shop.reopened().log().count > 10)
    for number in stride(from: 0, to: 150, by: 40) {
      #expect(try file("n\(number)") == CollectionPieceTests.content(number))
    }
    #expect(try file("@") == CollectionPieceTests.content(149))
    try expectWhole()
  }

  /// A piece ends when its time is up, and the next one goes on.
  @Test func aMarkIsSpreadOverPieces() throws {
    for number in 0..<100 {
      try shop.folder.makeFolder("d\(number)".bytes)
      try shop.folder.write("d\(number)/f".bytes, "\(number)".bytes)
    }
    try configure("keep = 0s, 3\n")
    // A piece may read the clock a few times.
    ticks.set(save: 10_000, step: 3000)
    var marked: [Int] = []
    for number in 0..<200 {
      try save(number..<(number + 1))
      if let collection = try collection, collection.header.phase == .marking { marked.append(collection.whole.count) }
      if number % 40 == 0 { try expectWhole() }
    }
    #expect(marked.count > 4 && Set(marked).count > 3)
    #expect(zip(marked, marked.dropFirst()).contains { $1 > $0 && $1 - $0 < 60 })
    #expect(try shop.reopened().log().count < 190)
    try expectWhole()
  }

  /// Content that expired comes back at any moment of a collection.
  @Test(arguments: 0..<2) func whatComesBackStays(_ seed: Int) throws {
    var generator = SplitMix64(seed: UInt64(seed) + 77)
    try configure("keep = 0s, 3\n")
    ticks.set(save: 20_000, step: 3000)
    for number in 0..<12 {
      try shop.folder.makeFolder("d\(number)".bytes)
      for file in 0..<4 { try shop.folder.write("d\(number)/f\(file)".bytes, "x".bytes) }
    }
    var phases: Set<SpreadCollection.Phase> = []
    for number in 0..<150 {
      let folder = Int.random(in: 0..<12, using: &generator)
      for file in 0..<4 {
        let content = Int.random(in: 0..<5, using: &generator)
        try shop.folder.write("d\(folder)/f\(file)".bytes, CollectionPieceTests.content(content, 500))
      }
      if number % 10 == 9 { _ = try? open().undo(1) }
      try save(number % 30 == 7 ? "n\(number)" : nil)
      if let phase = try phase() { phases.insert(phase) }
      if number % 8 == 0 { try expectWhole() }
    }
    #expect(phases.count == 4)
    try expectWhole()
  }

  /// A chunk has the bytes of a tree. That it is marked as a chunk says nothing of what the tree names.
  @Test func aChunkWithTheBytesOfATree() throws {
    try shop.folder.makeFolder("d".bytes)
    try shop.folder.write("d/inner".bytes, CollectionPieceTests.content(1))
    try save()
    let top = try #require(try shop.tree("@"))
    let entries = try TreeReader.entries(of: top, in: shop.repository.store)
    guard case .directory(let tree) = try #require(entries.first).content else { return }
    try configure("keep = 0s, 2\n")
    try shop.folder.write("a".bytes, try shop.repository.store.read(tree))
    try shop.folder.write("d/inner".bytes, CollectionPieceTests.content(2))
    ticks.set(save: 10_000, step: 3000)
    for number in 0..<160 {
      try shop.folder.write("file".bytes, CollectionPieceTests.content(number))
      try shop.folder.write("d/inner".bytes, CollectionPieceTests.content(number % 2 == 0 ? 1 : 2))
      try save()
      if number % 8 == 0 { try expectWhole() }
    }
    #expect(try shop.reopened().log().count < 150)
    try expectWhole()
  }

  /// A pack that is too large for one piece is emptied in several.
  @Test func aLargePackIsRewrittenInPieces() throws {
    for number in 0..<40 {
      try shop.folder.write("large\(number)".bytes, CollectionPieceTests.content(5000 + number, 20_000))
      try shop.folder.write("gone\(number)".bytes, CollectionPieceTests.content(6000 + number, 20_000))
    }
    try save()
    let first = try #require(try shop.storeFolder.folder("packs").names().first)
    for number in 0..<40 { try shop.folder.remove("gone\(number)".bytes) }
    try configure("keep = 0s, 2\n")
    ticks.set(save: 1_000_000, step: 1)
    var parts = 0
    for number in 0..<80 where try shop.storeFolder.folder("packs").names().contains(first) {
      try save(number..<(number + 1))
      if let collection = try collection, !collection.written.isEmpty { parts = max(parts, collection.written.count) }
      if number % 10 == 0 { try expectWhole() }
    }
    #expect(try !shop.storeFolder.folder("packs").names().contains(first))
    #expect(parts > 2)
    #expect(try packBytes < 1_200_000)
    try expectWhole()
  }

  /// Others read: nothing is removed, and nobody waits. What was to be marked is.
  @Test func itWaitsForNobody() throws {
    try configure("keep = 0s, 5\n")
    let other = try shop.reopened()
    do {
      let lock = try other.lockForReading()
      try save(0..<60)
      #expect(try phase() == .marked)
      #expect(try shop.reopened().log().count == 60)
      _ = consume lock
    }
    try save(60..<70)
    #expect(try shop.reopened().log().count < 40)
    try expectWhole()
  }

  /// A snapshot of which a part is gone gets no name.
  @Test func whatIsBeingDroppedGetsNoName() throws {
    try configure("auto-gc = false\n")
    try save(0..<1)
    let content = try #require(try shop.storeFolder.folder("packs").names().first)
    // The same tree, in a record with a pack of its own.
    var options = SaveOptions()
    options.message = "again"
    let id = try open().save(options).snapshot.id.description
    try save(1..<2)
    let repository = try open()
    do {
      let lock = try repository.lockAlone()
      let steps = try repository.readRefs().timeline.steps
      #expect(steps.count == 2)
      #expect(
        try repository.store.refs.expire(
          steps: ExpiredSteps(own: [steps[0]]), keeping: [], isStored: { _ in true }, holding: lock, waiting: 0))
    }
    _ = try open().name(Revision(id), as: "whole")
    _ = try open().delete(["whole"])
    do {
      let lock = try repository.lockAlone()
      #expect(try repository.store.refs.expire(keeping: [], isStored: { _ in true }, holding: lock, waiting: 0))
      try PieceSweep(repository.store).remove([PackName.id(fromFileName: content)].compactMap(\.self), holding: lock)
    }
    try expectWhole()
    #expect(code { try open().name(Revision(id), as: "part") } == .noSuchState)
  }

  @Test func damageToTheFileOnlyCostsTime() throws {
    try configure("keep = 0s, 10\n")
    ticks.set(save: 10_000, step: 3000)
    var noise = 0
    for number in 0..<140 {
      try save(number..<(number + 1))
      if number % 3 == 0, var bytes = try? shop.storeFolder.read("cache/mark".bytes), bytes.count > 300 {
        bytes[noise * 31 % bytes.count] ^= 4
        noise += 1
        try shop.storeFolder.write("cache/mark".bytes, bytes)
      }
    }
    #expect(noise > 5)
    ticks.set(save: 1_000_000_000, step: 1)
    try save(140..<200)
    #expect(try shop.reopened().log().count < 100)
    try expectWhole()
  }

  /// A snapshot that is needed is damaged: nothing is dropped.
  @Test func damageKeepsEverything() throws {
    try configure("keep = 0s, 3\n")
    try save(0..<2, named: 1)
    let packs = shop.storeFolder.folder("packs")
    let victim = try #require(try packs.names().first)
    try packs.remove(victim)
    for name in try shop.storeFolder.folder("parity").names() { try shop.storeFolder.folder("parity").remove(name) }
    for number in 2..<60 {
      try shop.folder.write("file".bytes, CollectionPieceTests.content(number))
      try save()
    }
    #expect(try shop.reopened().readRefs().timeline.steps.count == 60)
  }

  // MARK: The file

  private func place(_ number: Int) -> VersionPlace {
    VersionPlace(PathKey.root.child("\(number)".bytes), UInt32(number))
  }

  private func sample() -> SpreadCollection {
    func id(_ number: Int) -> ObjectID { ObjectID(hashing: "\(number)".bytes) }
    var collection = SpreadCollection()
    collection.header = SpreadCollection.Header(
      phase: .sweeping, policy: id(0), fixedCost: 1, nextLook: 2, nextGeneration: 3, ended: 4, packBytes: 5,
      otherBytes: 6, base: 11)
    collection.todo = [id(1), id(2), id(3)]
    collection.fixedCount = 2
    collection.newestCount = 1
    collection.limit = 7
    collection.size = 8
    collection.over = id(4)
    collection.lists = [id(5), id(6)]
    collection.packs = [id(7)]
    collection.sparse = [(id(8), 9), (id(9), 10)]
    collection.mixed = [(id(11), 12)]
    collection.unsorted = [id(9)]
    collection.unsortedBytes = 13
    collection.written = [id(10)]
    for number in 20..<40 { _ = collection.whole.insert(id(number), place(number)) }
    for number in 40..<45 { _ = collection.chunks.insert(id(number), place(number)) }
    return collection
  }

  @Test func theFileIsReadAsItWasWritten() throws {
    let bytes = sample().encoded()
    var again = try #require(SpreadCollection(bytes))
    #expect(again.encoded() == bytes && again.header == sample().header && again.limit == 7 && again.over != nil)
    #expect(again.todo == sample().todo && again.sparse.map(\.live) == [9, 10] && again.fixedCount == 2)
    #expect(again.newestCount == 1 && again.mixed.map(\.live) == [12] && again.unsorted.count == 1)
    #expect(again.unsortedBytes == 13)
    for number in 20..<45 {
      #expect(again.isNeeded(ObjectID(hashing: "\(number)".bytes)))
      #expect(again.place(of: ObjectID(hashing: "\(number)".bytes)) == place(number))
    }
    #expect(again.place(of: ObjectID(hashing: "45".bytes)) == nil)
    #expect(!again.isNeeded(ObjectID(hashing: "45".bytes)) && again.whole.count == 20)
    // What is added later is sorted in.
    let new = (50..<90).map { ObjectID(hashing: "\($0)".bytes) } + [ObjectID(hashing: "25".bytes)]
    #expect(new.filter { again.whole.insert($0, place(1)) }.count == 40)
    let third = try #require(SpreadCollection(again.encoded()))
    #expect(third.whole.count == 60 && third.encoded() == again.encoded())
    for number in Array(20..<45) + Array(50..<90) { #expect(third.isNeeded(ObjectID(hashing: "\(number)".bytes))) }
    #expect(again.header.base == 11)
    #expect(SpreadCollection(SpreadCollection().encoded())?.header == SpreadCollection.Header())
  }

  /// A file with a right checksum whose ids are not sorted: what is marked later could not be put between them.
  @Test func idsThatAreNotSortedAreRefused() throws {
    func read(_ bytes: [UInt8]) -> SpreadCollection.Header? {
      var writer = ByteWriter()
      writer.append(bytes)
      writer.id(ObjectID(hashing: bytes))
      return SpreadCollection(writer.bytes)?.header
    }
    let bytes = Array(sample().encoded().dropLast(32))
    // The rows of the chunks, and the number of rows before them.
    let row = MarkedIDs.rowSize
    let chunks = bytes.count - 5 * row
    let whole = chunks - 1 - 20 * row
    for (start, count) in [(whole, 20), (chunks, 5)] {
      for (first, second) in [(0, 1), (1, 2), (count - 2, count - 1), (0, count - 1)] {
        var forged = bytes
        for place in 0..<32 { forged.swapAt(start + first * row + place, start + second * row + place) }
        #expect(read(forged) == nil)
        let repeated = Array(forged[(start + first * row)...].prefix(32))
        forged.replaceSubrange(start + second * row..<start + second * row + 32, with: repeated)
        #expect(read(forged) == nil)
      }
    }
    #expect(read(bytes) != nil)
  }

  @Test func damageToItIsNoticed() throws {
    let bytes = sample().encoded()
    for length in 0..<bytes.count { #expect(SpreadCollection(Array(bytes.prefix(length))) == nil) }
    for bit in stride(from: 0, to: bytes.count * 8, by: 3) {
      #expect(SpreadCollection(Content.flipping(bytes, bit: bit)) == nil)
    }
    #expect(SpreadCollection(bytes + [0]) == nil && SpreadCollection(bytes + bytes) == nil)
    // Right checksums, and counts that cannot be.
    for place in SpreadCollection.headerSize..<(bytes.count - 32) {
      var forged = Array(bytes.dropLast(32))
      forged[place] = 0xff
      let digest = ObjectID(hashing: forged)
      var writer = ByteWriter()
      writer.append(forged)
      writer.id(digest)
      // It may be another collection, but reading it ends.
      _ = SpreadCollection(writer.bytes)
    }
  }
}
