// Packs that cannot be read, for once or for good: that is no reason to drop what they hold, nor to refuse a save.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct FailingPacksTests {
  private let shop: RepositoryFixture
  private let packs = MemoryPacks()
  private let refs = MemoryRefs()
  private let repository: Repository

  init() throws {
    shop = try RepositoryFixture()
    repository = try StorageSeamTests.open(shop, packs, refs)
    try repository.store.refs.create()
  }

  /// What the trash keeps shares a pack with garbage. One opening of a pack fails, each in turn.
  @Test func aCollectionDropsNothingThatItCouldNotRead() throws {
    let value = Content.random(300_000, seed: 1)
    let garbage = Content.random(300_000, seed: 2)
    _ = try repository.saveValues([NamedValue(name: "a", bytes: value), NamedValue(name: "b", bytes: garbage)])
    let kept = try #require(try repository.store.refs.read()["a"])
    _ = try repository.delete(["a", "b"])
    try forgetTrash(but: kept)
    var number = 0
    var isCollected = false
    while !isCollected {
      number += 1
      let failed = number
      let copies = (packs: packs.copy(), refs: refs.copy())
      let failing = FailingPacks(copies.packs, .input) { opening, _ in opening == failed }
      let collector = try StorageSeamTests.open(shop, failing, copies.refs)
      let end = code { try collector.collectGarbage() }
      isCollected = failing.failures == 0
      if isCollected {
        #expect(end == nil)
        #expect(packs.bytes - copies.packs.bytes > 250_000)
      }
      let after = try StorageSeamTests.open(shop, copies.packs, copies.refs)
      _ = try after.store.refs.update(waiting: 0) { $0["back"] = kept }
      #expect(code { try after.content(ofState: "back") } == nil, "after opening \(number)")
      if end == nil { #expect(try after.verify(readData: true).damage == [], "after opening \(number)") }
    }
    #expect(number > 2)
  }

  private func forgetTrash(but kept: ObjectID) throws {
    let store = repository.store
    let lock = try repository.lockAlone()
    let entries = try store.refs.trash(store.refs.read()).filter { $0.snapshot == kept }
    try #require(entries.count == 1)
    try #require(try store.refs.expire(keeping: entries, isStored: { _ in true }, holding: lock, waiting: 0))
  }

  /// A pack that may not be read hides what it holds; it does not say that it holds nothing.
  @Test func whatMayBeInAPackIsNotMissing() throws {
    let bytes = "a small value".bytes
    _ = try repository.saveValues([NamedValue(name: "a", bytes: bytes)])
    let failing = FailingPacks(packs, .permissionDenied) { _, _ in true }
    let index = try StorageSeamTests.open(shop, failing, refs).store.index
    do throws(StoreError) {
      let presence = try index.presence(of: ObjectID(hashing: bytes), length: UInt64(bytes.count))
      Issue.record("\(presence)")
    } catch {
      guard case .system(_, _, .permissionDenied) = error else { throw error }
    }
  }

  /// The medium gives nothing of the snapshots that are there: what the folder holds now can be saved all the same.
  @Test func aFolderIsSavedBesideSnapshotsThatCannotBeRead() throws {
    try shop.write("d/a", "d/b")
    _ = try repository.save(SaveOptions(name: "one"))
    try shop.write("d/c")
    let old = Set(try packs.list(withSizes: false).map(\.id))
    let failing = FailingPacks(packs, .input) { _, pack in old.contains(pack) }
    let before = try shop.state
    let notices = Mutex<[Notice]>([])
    let saver = try StorageSeamTests.open(shop, failing, refs) { notice in notices.withLock { $0.append(notice) } }
    // Nobody knows what has changed, and a notice says so.
    _ = try saver.save(SaveOptions(name: "two"))
    #expect(failing.failures > 0)
    let said = notices.withLock { $0 }
    #expect(said.contains { $0.kind == .foundDamage && $0.detail.hasSuffix("so the folder is compared with nothing") })
    let after = try StorageSeamTests.open(shop, packs, refs)
    _ = try after.restore("one")
    _ = try after.restore("two")
    #expect(try shop.state.differences(from: before) == [])
    #expect(try after.verify(readData: true).damage == [])
  }

  /// A read of the snapshot before fails, each in turn. The next try succeeds, so nothing is taken for damaged.
  @Test func aReadOfABlockThatFailsOnceChangesNothing() throws {
    try shop.write("d/a", "d/b")
    _ = try repository.save(SaveOptions(name: "one"))
    try shop.write("d/c")
    var number = 0
    var tried = 0
    var isOver = false
    while !isOver {
      number += 1
      let copies = (packs: packs.copy(), refs: refs.copy())
      let saver = try StorageSeamTests.open(shop, copies.packs, copies.refs)
      // The index reads the tables of contents: a failure there keeps a pack from counting.
      _ = try saver.store.index.presentPacks()
      _ = try saver.log()
      copies.packs.failingRead.withLock { $0 = number }
      let end = code {
        let changes = try saver.save(SaveOptions(name: "two")).changes
        #expect(changes.added == 1 && changes.removed == 0, "after read \(number)")
        tried += 1
      }
      #expect(end == nil, "after read \(number)")
      isOver = copies.packs.failingRead.withLock { $0 > 0 }
    }
    #expect(number > 1 && tried == number)
  }
}
