// Small packs become larger ones, and nothing of them is lost.

import MementoStore
import MementoSystem
import TestSupport
import Testing

struct PackMergeTests {
  private let fixture: StoreFixture
  private let blobs = (0..<60).map { Content.random(300 + $0, seed: UInt64($0)) }

  init() throws {
    fixture = try StoreFixture()
  }

  /// A pack for each blob.
  private func put(_ range: Range<Int>) throws {
    for number in range { try fixture.open().put([blobs[number]]) }
  }

  private func check(_ range: Range<Int>) throws {
    let store = try fixture.open()
    for number in range {
      #expect(outcome { try store.read(ObjectID(hashing: blobs[number])) } == .done, "blob \(number)")
    }
  }

  @discardableResult
  private func merge(
    _ limit: UInt64 = 1 << 20, while mayGoOn: () -> Bool = { true }
  ) throws -> (merged: Int, noted: [ObjectID]) {
    let store = try fixture.open()
    let merge = PackMerge(store)
    var noted: [ObjectID] = []
    let packs = merge.packs(copyingAtMost: limit)
    let count = try merge.run(
      packs, holding: try store.folder.lockAlone(), while: mayGoOn,
      note: { old, new in
        noted = old
        #expect(!old.contains(new))
        // The old ones are still there.
        #expect(outcome { try store.packs.open(old[0]) } == .done)
      })
    return (count, noted)
  }

  @Test func packsOfLikeSizeBecomeOne() throws {
    try put(0..<15)
    #expect(try merge().merged == 0)
    try put(15..<20)
    let (count, noted) = try merge()
    #expect(count == 20 && noted.count == 20)
    #expect(try fixture.files("packs").count == 1)
    try check(0..<20)
    // A few small ones leave the large one alone.
    try put(20..<30)
    #expect(try merge().merged == 0)
    try put(30..<50)
    #expect(try merge().merged >= 20)
    #expect(try fixture.files("packs").count <= 2)
    try check(0..<50)
    #expect(try fixture.files("tmp") == [])
  }

  /// Blocks with versions side by side are copied as they are.
  @Test func packsOfVersionsBecomeOne() throws {
    try put(0..<20)
    do {
      let store = try fixture.open()
      let lock = try store.folder.lockAlone()
      let old = try store.index.presentPacks()
      for pack in old {
        let done = try VersionSort(store).run(
          [pack], place: { _ in VersionPlace(.root, 0) }, trusting: [], while: { true }, holding: lock)
        #expect(done.isAll && done.written.count == 1)
        // What is in order already is not written again.
        let again = try VersionSort(store).run(
          [pack], place: { _ in VersionPlace(.root, 0) }, trusting: done.written, while: { true }, holding: lock)
        #expect(again.isAll && again.written.isEmpty)
      }
      try store.packs.remove(old)
    }
    #expect(try fixture.files("packs").count == 20)
    #expect(try merge().merged == 20)
    let store = try fixture.open()
    let merged = try store.index.contents(of: try #require(try store.index.presentPacks().first))
    #expect(merged.contents.blocks.count == 20 && merged.contents.blocks.allSatisfy { $0.arrangement == .versions })
    try check(0..<20)
  }

  /// The index says what the packs say, so that no later command has to find out.
  @Test func theIndexFollows() throws {
    try put(0..<20)
    try merge()
    let store = try fixture.open()
    #expect(try store.index.presentPacks().count == 1)
    #expect(try fixture.files("index").count == 1)
    #expect(try !store.index.reconcile() || store.index.problems.isEmpty)
    var view = PackView()
    for pack in try store.index.presentPacks() { view.add(try store.index.contents(of: pack)) }
    try view.seal()
    #expect(store.index.differences(from: view).isEmpty)
  }

  @Test func itEndsWhenTimeIsUp() throws {
    try put(0..<20)
    var left = 5
    let (count, noted) = try merge(while: {
      left -= 1
      return left >= 0
    })
    #expect(count == 5 && noted.count == 5)
    #expect(try fixture.files("packs").count == 16)
    left = 1
    #expect(
      try merge(while: {
        left -= 1; return left >= 0
      }).merged == 0)
    #expect(try fixture.files("packs").count == 16)
    try check(0..<20)
    #expect(try fixture.files("tmp") == [])
  }

  @Test func itCopiesNoMoreThanItMay() throws {
    try put(0..<20)
    #expect(try merge(1000).merged == 0)
    #expect(try fixture.files("packs").count == 20)
    let store = try fixture.open()
    #expect(PackMerge(store).packs(copyingAtMost: 1 << 20).count == 20)
  }

  /// A pack that is damaged stays as it is, for a repair.
  @Test(arguments: [-80, 30]) func aDamagedPackStays(_ place: Int) throws {
    try put(0..<20)
    let name = try #require(try fixture.files("packs").first)
    let bytes = try fixture.directory.read("packs/\(name)")
    try fixture.directory.write(
      "packs/\(name)", Content.flipping(bytes, bit: (place < 0 ? bytes.count + place : place) * 8))
    #expect(try merge().merged == 19)
    #expect(try fixture.files("packs").count == 2 && fixture.files("packs").contains(name))
    let store = try fixture.open()
    #expect(
      (0..<20).filter { number in outcome { try store.read(ObjectID(hashing: blobs[number])) } == .done }.count >= 19)
  }

  /// What two packs hold is copied once, and a pack that somebody removes meanwhile is not missed.
  @Test func whatIsThereTwiceIsCopiedOnce() throws {
    try put(0..<18)
    let fresh = try StoreFixture()
    try fresh.open().put([blobs[0], blobs[1]])
    let name = try fresh.onlyFile("packs")
    try fixture.directory.write(name, try fresh.directory.read(name))
    #expect(try merge().merged == 18)
    try check(0..<18)
    #expect(try fixture.files("packs").count == 2)
  }
}
