// gc puts versions of a path side by side, and never loses one.

import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoStore

struct VersionSweepTests {
  private let fixture: StoreFixture
  /// Versions of ten paths, the newest first; for each path a pack, and one for every two rounds of versions.
  private let versions: [[[UInt8]]]

  init() throws {
    fixture = try StoreFixture()
    versions = (0..<10).map { path in
      var text = Content.text(20_000, seed: UInt64(path))
      return (0..<8).map { version in
        text.replaceSubrange(
          version * 100..<version * 100 + 20, with: Content.random(20, seed: UInt64(path * 9 + version)))
        return text
      }
    }
    for round in 0..<4 {
      try fixture.open().put(versions.flatMap { $0[round * 2..<round * 2 + 2] })
      try fixture.open().put([[UInt8(round)]] + versions.map { $0[round] }, .meta)
    }
  }

  /// The first of each path is new. All but those of `dropped` are needed.
  private func marked(dropping dropped: Set<Int> = []) -> (needed: BlobSet, order: BlobOrder) {
    var needed = BlobSet()
    var keys = ContiguousArray<PathKey>()
    func add(_ blob: [UInt8], _ path: Int) {
      if needed.insert(ObjectID(hashing: blob)) { keys.append(PathKey.root.child(Array("p\(path)".utf8))) }
    }
    for path in 0..<10 { add(versions[path][0], path) }
    let newest = needed.count
    for version in 1..<8 where !dropped.contains(version) {
      for path in 0..<10 { add(versions[path][version], path) }
    }
    return (needed, BlobOrder(keys, newest: newest))
  }

  private func sweep(
    _ mark: (needed: BlobSet, order: BlobOrder), within limit: SweepLimit = SweepLimit(), least: UInt64 = 0,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws -> SweepPlan {
    let store = try fixture.open()
    let sweep = Sweep(store, order: mark.order, leastVersions: least, isCancelled: isCancelled)
    return try sweep.execute(
      try sweep.plan(keeping: mark.needed), keeping: mark.needed, within: limit, holding: try store.folder.lockAlone())
  }

  private func arrangements() throws -> [Arrangement: Int] {
    let store = try fixture.open()
    var found: [Arrangement: Int] = [:]
    for pack in try store.index.presentPacks() {
      let contents = try store.index.contents(of: pack).contents
      // A pack has blocks of one kind only.
      #expect(Set(contents.blocks.map { $0.arrangement == .versions }).count <= 1)
      for block in contents.blocks { found[block.arrangement, default: 0] += Int(block.blobCount) }
    }
    return found
  }

  private func check(dropping dropped: Set<Int> = []) throws {
    let store = try fixture.open()
    for path in versions {
      for (version, blob) in path.enumerated() {
        let isThere = try store.index.contains(ObjectID(hashing: blob))
        #expect(isThere == !dropped.contains(version))
        if isThere { #expect(try store.read(ObjectID(hashing: blob)) == blob) }
      }
    }
  }

  private func size() throws -> Int {
    try fixture.files("packs").reduce(0) { try $0 + fixture.directory.read("packs/\($1)").count }
  }

  @Test func versionsComeSideBySide() throws {
    let before = try size()
    let done = try sweep(marked())
    #expect(done.versionsSorted == 70 && done.postponed.isEmpty && done.unwritten.isEmpty)
    try check()
    #expect(try arrangements() == [.compressedWalk: 10, .versions: 70])
    #expect(try size() < before * 3 / 4)
    // That is all, and it stays.
    let again = try sweep(marked())
    #expect(again.rewritten.isEmpty && again.dead.isEmpty && again.versionsSorted == 0)
  }

  @Test func fewOfThemStayWhereTheyAre() throws {
    let done = try sweep(marked(), least: 1 << 20)
    #expect(done.versionsSorted == 0)
    #expect(try arrangements()[.versions] == nil)
    try check()
  }

  @Test(arguments: ["zlib", "none"]) func withACodecThatSeesNotFarNothingIsSorted(_ compression: String) throws {
    let other = try StoreFixture { $0.compression = Compression(compression) ?? Compression.none }
    try other.open().put(versions.flatMap(\.self))
    let mark = marked()
    let store = try other.open()
    let plan = try Sweep(store, order: mark.order, leastVersions: 0).plan(keeping: mark.needed)
    #expect(plan.rewritten.isEmpty && plan.versionsSorted == 0)
  }

  @Test func whatNobodyNeedsGoes() throws {
    _ = try sweep(marked(dropping: [2, 5]))
    try check(dropping: [2, 5])
    _ = try sweep(marked(dropping: [2, 3, 4, 5]))
    try check(dropping: [2, 3, 4, 5])
    #expect(try arrangements() == [.compressedWalk: 10, .versions: 30])
  }

  /// What comes later is sorted together with what is there already.
  @Test func newVersionsComeToOldOnes() throws {
    _ = try sweep(marked())
    let packs = try fixture.files("packs").count
    let newer = (0..<10).map { Content.text(20_000, seed: UInt64($0)) + [UInt8($0)] }
    try fixture.open().put(newer)
    var needed = BlobSet()
    var keys = ContiguousArray<PathKey>()
    for (path, blob) in newer.enumerated() {
      _ = needed.insert(ObjectID(hashing: blob))
      keys.append(PathKey.root.child(Array("p\(path)".utf8)))
    }
    let old = marked()
    for number in 0..<old.needed.count {
      _ = needed.insert(old.needed.ids[number])
      keys.append(old.order.keys[number])
    }
    let done = try sweep((needed, BlobOrder(keys, newest: 10)))
    #expect(done.versionsSorted == 10)
    try check()
    #expect(try arrangements()[.versions] == 80)
    #expect(try fixture.files("packs").count <= packs + 1)
  }

  /// A gc that is stopped at any moment loses nothing, and the next one does the rest.
  @Test func itCanBeStoppedAtAnyMoment() throws {
    let mark = marked()
    var moment = 0
    while true {
      let asked = Countdown(moment)
      let end = outcome { try sweep(mark, isCancelled: { asked.isOver() }) }
      try check()
      #expect(try fixture.files("tmp") == [])
      if end == .done { break }
      #expect(end == .cancelled, "stopped at \(moment)")
      moment += 5
    }
    #expect(try arrangements() == [.compressedWalk: 10, .versions: 70])
  }

  /// The state after a kill between the new packs and the removal of the old ones.
  @Test func aSweepThatWasKilledIsFinished() throws {
    let mark = marked()
    let store = try fixture.open()
    let packs = try store.index.presentPacks().map { (id) throws(StoreError) in try store.index.contents(of: id) }
    _ = try PackRewrite(
      store: store, packs: packs, needed: mark.needed, order: mark.order, keepers: [:], isCancelled: { false }
    ).run()
    #expect(try fixture.files("packs").count == packs.count + 2)
    let done = try sweep(mark)
    try check()
    #expect(done.dead.count == packs.count && done.rewritten.isEmpty)
    #expect(try arrangements() == [.compressedWalk: 10, .versions: 70])
    #expect(try fixture.files("packs").count == 2)
  }

  /// Within limits a sweep does a part, and those after it the rest.
  @Test func itGoesOnWhereItWas() throws {
    let mark = marked()
    let none = try sweep(mark, within: SweepLimit(bytes: 0))
    #expect(none.postponed.count == none.rewritten.count && none.versionsSorted == 0)
    #expect(try arrangements()[.versions] == nil)
    let sizes = try fixture.files("packs").map { try fixture.directory.read("packs/\($0)").count }.sorted()
    let some = try sweep(mark, within: SweepLimit(bytes: UInt64(sizes[0] + sizes[1])))
    #expect(!some.postponed.isEmpty && some.versionsSorted > 0)
    try check()
    let over = try sweep(mark, within: SweepLimit(timeLeft: { 0 }))
    #expect(over.postponed.count == over.rewritten.count)
    var rounds = 0
    while try !sweep(mark, within: SweepLimit(bytes: 1 << 20)).rewritten.isEmpty, rounds < 10 { rounds += 1 }
    #expect(rounds < 10)
    try check()
    #expect(try arrangements()[.versions] == 70)
  }

  /// A merge of small packs by a save leaves what gc has written.
  @Test func aMergeLeavesThemAlone() throws {
    _ = try sweep(marked())
    let before = try arrangements()
    for number in 0..<40 { try fixture.open().put([Content.random(300, seed: UInt64(1000 + number))]) }
    let store = try fixture.open()
    let merge = PackMerge(store)
    _ = try merge.run(
      merge.packs(copyingAtMost: 1 << 30), holding: try store.folder.lockAlone(), while: { true }, note: { _, _ in })
    let after = try arrangements()
    #expect(after[.versions] == before[.versions] && after[.compressedWalk] == before[.compressedWalk])
    try check()
  }
}

/// Returns true after it was asked this many times.
private final class Countdown: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) {
    left = Atomic(count)
  }

  func isOver() -> Bool { left.subtract(1, ordering: .relaxed).oldValue <= 0 }
}
