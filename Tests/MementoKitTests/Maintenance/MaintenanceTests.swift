// gc frees exactly what nothing needs. verify finds the damage and names the states that it affects.

import Dispatch
import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct MaintenanceTests {
  let shop: RepositoryFixture
  private let packs: FolderTools

  init() throws {
    shop = try RepositoryFixture(parity: false)
    packs = shop.storeFolder.folder("packs")
    try shop.folder.makeFolder("a".bytes)
    try shop.folder.write("a/large".bytes, Content.random(400_000, seed: 1))
    try shop.folder.write("a/small".bytes, "small".bytes)
    Clock.sleep(seconds: 0.02)  // so that the stat cache vouches for these files
    try shop.save("one")
  }

  private func packSize() throws -> Int {
    try packs.names().reduce(0) { try $0 + packs.read($1).count }
  }

  /// Removes the timeline, so that only names keep snapshots.
  private func forgetTimeline() throws {
    _ = try shop.repository.store.refs.update(waiting: 10) { $0.timeline = FolderTimeline() }
  }

  @Test func freesWhatWasDeletedAndKeepsTheRest() throws {
    let one = try shop.state
    try shop.folder.write("b".bytes, Content.random(600_000, seed: 2))
    try shop.save("two")
    let two = try shop.state
    try shop.folder.write("c".bytes, Content.random(900_000, seed: 3))
    try shop.save("three")
    _ = try shop.repository.delete(["three"])
    // The timeline still keeps the snapshot.
    #expect(try shop.repository.collectGarbage(emptyingTrash: true).blobsRemoved == 0)
    try forgetTimeline()
    let before = try packSize()
    let dry = try shop.repository.collectGarbage(isDryRun: true, emptyingTrash: true)
    #expect(!dry.isCommitted)
    #expect(try packSize() == before)
    let freed = try shop.repository.collectGarbage(emptyingTrash: true)
    #expect(freed.bytesFreed == dry.bytesFreed)
    #expect(freed.bytesFreed > 900_000)
    #expect(try before - packSize() > 900_000)
    let again = try shop.repository.collectGarbage(emptyingTrash: true)
    #expect([again.packsRemoved, again.packsRewritten, again.blobsRemoved] == [0, 0, 0])
    #expect(try shop.reopened().verify(readData: true).damage == [])
    try shop.restore("one")
    #expect(try shop.state.differences(from: one) == [])
    _ = try shop.reopened().restore("two")
    #expect(try shop.state.differences(from: two) == [])
  }

  /// Each save makes a pack. gc merges many small packs into one.
  @Test func mergesManySmallPacks() throws {
    var states: [Manifest] = []
    for number in 0..<30 {
      try shop.folder.write("a/small".bytes, "number \(number)".bytes)
      try shop.save("n\(number)")
      states.append(try shop.state)
    }
    let before = try packs.names()
    #expect(before.count == 31)
    let dry = try shop.repository.collectGarbage(isDryRun: true, emptyingTrash: true)
    #expect(try packs.names() == before)
    let summary = try shop.repository.collectGarbage(emptyingTrash: true)
    #expect([summary.packsRemoved, summary.packsRewritten, summary.blobsRemoved] == [0, 31, 0])
    #expect(dry.packsRewritten == 31)
    #expect(try packs.names().count == 1)
    #expect(try shop.reopened().verify(readData: true).damage == [])
    for number in [0, 15, 29] {
      _ = try shop.reopened().restore("n\(number)")
      #expect(try shop.state.differences(from: states[number]) == [])
    }
    // gc leaves a few small packs alone.
    let again = try shop.repository.collectGarbage(emptyingTrash: true)
    #expect([again.packsRemoved, again.packsRewritten] == [0, 0])
  }

  /// Some tasks of a process read and save while another collects garbage.
  @Test func readersOfTheSameRepositoryGoOn() throws {
    let repository = shop.repository
    @Sendable func name(_ number: Int) -> String { "value \(number)" }
    for number in 0..<60 { try repository.saveValues([NamedValue(name: name(number), bytes: name(number).bytes)]) }
    let failures = Mutex<[String]>([])
    let isDone = Atomic<Bool>(false)
    DispatchQueue.concurrentPerform(iterations: 4) { worker in
      do {
        if worker > 0 {
          var number = worker
          while !isDone.load(ordering: .relaxed) {
            number = (number + 7) % 60
            let content = try repository.content(ofState: name(number))
            if content != .value(name(number).bytes) { failures.withLock { $0.append("\(number)") } }
          }
          return
        }
        defer { isDone.store(true, ordering: .relaxed) }
        for round in 0..<6 {
          for number in 0..<20 {
            try repository.saveValues([NamedValue(name: "more \(number)", bytes: "\(round) \(number)".bytes)])
          }
          _ = try repository.collectGarbage(emptyingTrash: true)
        }
      } catch {
        failures.withLock { $0.append("\(worker): \(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try shop.reopened().verify(readData: true).damage == [])
  }

  @Test func writesSparsePacksAnew() throws {
    // The pack of "one" loses most of its bytes when only the small file is still needed.
    try shop.folder.remove("a/large".bytes)
    try shop.save("small")
    let small = try shop.state
    _ = try shop.repository.delete(["one"])
    try forgetTimeline()
    let summary = try shop.repository.collectGarbage(emptyingTrash: true)
    #expect(summary.packsRewritten > 0)
    #expect(try packSize() < 10_000)
    #expect(try shop.repository.verify(readData: true).damage == [])
    try shop.folder.empty()
    try shop.restore("small")
    #expect(try shop.state.differences(from: small) == [])
  }

  @Test func everythingGoesWhenNothingIsNamed() throws {
    _ = try shop.repository.delete(["one"])
    try forgetTimeline()
    _ = try shop.repository.collectGarbage(emptyingTrash: true)
    #expect(try packs.names() == [])
    #expect(try shop.repository.verify().damage == [])
    let before = try shop.state
    try shop.save("new")
    #expect(try Manifest(shop.extract("new", to: "copy").0).differences(from: before) == [])
  }

  /// A kind of damage. gc must notice most of them.
  enum Damage: CaseIterable, Sendable {
    case missingPack, truncatedPack, emptyPack, flippedTable, flippedTree, missingTree
  }

  private func hurt(_ damage: Damage) throws {
    let name = try #require(try packs.names().first)
    let bytes = try packs.read(name)
    switch damage {
    case .missingPack: try packs.remove(name)
    case .truncatedPack: try packs.write(name, Array(bytes[..<(bytes.count - 100)]))
    case .emptyPack: try packs.write(name, [])
    case .flippedTable: try packs.write(name, Content.flipping(bytes, bit: (bytes.count - 80) * 8))
    case .flippedTree:
      // Trees are in the last block before the table of contents.
      let tree = try #require(try shop.tree("one"))
      let place = try #require(try shop.repository.store.index.place(of: tree))
      try packs.write(
        name, Content.flipping(bytes, bit: (Int(place.block.offset + UInt64(place.block.storedLength)) - 40) * 8))
    case .missingTree:
      let missing = ObjectID(hashing: "missing".bytes)
      let record = try shop.record("one")
      var forged = record
      forged.body = .tree(missing, record.rootMetadata ?? FileMetadata.sample)
      try shop.plant(forged, as: "one")
    }
  }

  @Test(arguments: Damage.allCases)
  func gcRefusesAndVerifyTells(_ damage: Damage) throws {
    try hurt(damage)
    let repository = try shop.reopened()
    let before = try packs.names()
    let sizes = try packSize()
    #expect(code { try repository.collectGarbage(emptyingTrash: true) } == .damaged)
    #expect(code { try repository.collectGarbage(isDryRun: true, emptyingTrash: true) } == .damaged)
    #expect(try packs.names() == before)
    #expect(try packSize() == sizes)
    let report = try repository.verify()
    #expect(report.damage != [])
    try shop.folder.write("a/small".bytes, "SMALL".bytes)
    if damage == .truncatedPack || damage == .flippedTable {
      // Only the table is lost, so the index still finds everything.
      _ = try shop.reopened().restore("one")
      #expect(try shop.folder.read("a/small".bytes) == "small".bytes)
    } else {
      #expect(report.damage.flatMap(\.states).contains("one"))
      #expect(code { try shop.reopened().restore("one") } == .damaged)
      #expect(try shop.folder.read("a/small".bytes) == "SMALL".bytes)
    }
    // Whatever is damaged, the present folder can be saved and restored.
    let now = try shop.state
    let saved = try shop.reopened()
    _ = try saved.save(SaveOptions(name: "new"))
    try shop.folder.empty()
    _ = try shop.reopened().restore("new")
    #expect(try shop.state.differences(from: now) == [])
  }

  @Test func aFlippedByteOfDataIsFoundByReading() throws {
    let name = try #require(try packs.names().first)
    let bytes = try packs.read(name)
    try packs.write(name, Content.flipping(bytes, bit: 200_000 * 8))
    let repository = try shop.reopened()
    #expect(try repository.verify().damage == [])
    let report = try repository.verify(readData: true)
    #expect(report.damage.contains { $0.states == ["one"] && $0.path == BytePath("a/large") })
    #expect(!report.damage.contains { $0.path == BytePath("a/small") })
    // A restore that needs the damaged content changes nothing.
    try shop.folder.remove("a/large".bytes)
    try shop.folder.write("a/small".bytes, "SMALL".bytes)
    let before = try shop.state
    #expect(code { try shop.reopened().restore("one") } == .damaged)
    #expect(try shop.state.touched(since: before) == [])
    #expect(code { try shop.reopened().continueRestore() } == .noPendingRestore)
  }

  /// A blob is known only by its bytes, so the same blob may be a tree and a chunk.
  @Test func aFileWithTheBytesOfATreeOrASnapshotHidesNothing() throws {
    let record = try shop.record("one")
    let tree = try #require(record.tree)
    let inner = try #require(try TreeReader.entries(of: tree, in: shop.repository.store).first?.tree)
    // The names sort before and after "a". The copies are also saved in a snapshot of their own.
    let copies = [record.encoded(), try shop.repository.store.read(tree), try shop.repository.store.read(inner)]
    for (number, bytes) in copies.enumerated() {
      for name in ["0 \(number)", "z \(number)"] { try shop.folder.write(name.bytes, bytes) }
    }
    try shop.save("two")
    let two = try shop.state
    for rest in ["one", "two"] {
      try forgetTimeline()
      _ = try shop.repository.collectGarbage(emptyingTrash: true)
      #expect(try shop.reopened().verify(readData: true).damage == [])
      try shop.folder.empty()
      try shop.restore("two")
      #expect(try shop.state.differences(from: two) == [])
      if rest == "one" { _ = try shop.repository.delete(["one"]) }
    }
  }

  @Test func everyStateWithADamagedFolderIsNamed() throws {
    let missing = try shop.plant(
      meta: [RepositoryFixture.tree([TreeEntry.folder("inner", ObjectID(hashing: "nowhere".bytes)).encoded])])[0]
    let top = try shop.plant(meta: [RepositoryFixture.tree([TreeEntry.folder("outer", missing).encoded])])[0]
    for name in ["x", "y"] { try shop.plant(tree: top, as: name) }
    try shop.plant(tree: missing, as: "z")
    let report = try shop.repository.verify()
    #expect(report.damage.map(\.states).contains(["z"]))
    // The same damage in two states is reported once.
    #expect(report.damage.filter { $0.states != ["z"] }.map(\.states) == [["x", "y"]])
    #expect(report.damage.filter { $0.states != ["z"] }.map(\.path) == [BytePath("outer/inner")])
  }

  /// gc must keep an intact copy of a blob rather than a damaged one.
  @Test(arguments: [false, true])
  func gcKeepsTheCopyThatIsWhole(_ first: Bool) throws {
    let name = try #require(try packs.names().first)
    let bytes = try packs.read(name)
    // Writes another pack with the same blobs while the first is away.
    try packs.rename(name, to: "../away".bytes)
    try shop.folder.write("another".bytes, "so that the pack has another name".bytes)
    _ = try shop.reopened().save(SaveOptions(name: "two"))
    try packs.rename("../away".bytes, to: name)
    let both = try packs.names()
    try #require(both.count == 2)
    let victim = first ? both[0] : both[1]
    let whole = victim == name ? bytes : try packs.read(victim)
    try packs.write(victim, Content.flipping(whole, bit: 100_000 * 8))
    let repository = try shop.reopened()
    _ = try? repository.collectGarbage(emptyingTrash: true)
    try shop.folder.empty()
    _ = try shop.reopened().restore("two")
    #expect(try shop.folder.read("a/large".bytes) == Content.random(400_000, seed: 1))
  }
}
