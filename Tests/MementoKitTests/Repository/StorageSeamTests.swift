// The store works with any storage of packs and refs; here both are in memory.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct StorageSeamTests {
  let shop: RepositoryFixture
  let packs = MemoryPacks()
  let refs = MemoryRefs()
  let repository: Repository

  init() throws {
    shop = try RepositoryFixture()
    repository = try StorageSeamTests.open(shop, packs, refs)
    try repository.store.refs.create()
  }

  /// Opens the store as another process would.
  static func open(
    _ shop: RepositoryFixture, _ packs: any PackStorage, _ refs: MemoryRefs,
    notice: @escaping @Sendable (Notice) -> Void = { _ in }
  ) throws -> Repository {
    var options = RepositoryFixture.quick
    options.notice = notice
    let root = try Descriptor.open(shop.storeFolder.path, .directory)
    let store = try Store(opening: root, durable: false, storages: (packs, refs))
    return try Repository(
      folder: shop.repository.folder, storePath: shop.repository.storePath, access: shop.repository.access,
      store: store,
      notes: [], options: options)
  }

  @Test func valuesAreSavedReadAndCollected() throws {
    let old = Content.random(300_000, seed: 1)
    _ = try repository.saveValues([NamedValue(name: "a", bytes: old), NamedValue(name: "b", bytes: "b".bytes)])
    #expect(packs.count == 1)
    let again = try StorageSeamTests.open(shop, packs, refs)
    #expect(try again.content(ofState: "a") == .value(old))
    #expect(packs.reads > 0)
    _ = try again.saveValues([NamedValue(name: "a", bytes: "new".bytes)])
    let before = packs.bytes
    let freed = try repository.collectGarbage(emptyingTrash: true)
    #expect(freed.bytesFreed > 300_000)
    #expect(before - packs.bytes > 300_000)
    #expect(try repository.content(ofState: "a") == .value("new".bytes))
    #expect(try again.content(ofState: "b") == .value("b".bytes))
    #expect(try again.verify(readData: true).damage == [])
    // Nothing of this was written to the folder.
    #expect(try shop.storeFolder.folder("packs").names().isEmpty)
    #expect(try shop.repository.states().isEmpty)
  }

  @Test func aFolderIsSavedAndRestored() throws {
    try shop.folder.write("file".bytes, Content.random(200_000, seed: 2))
    let before = try shop.state
    _ = try repository.save(SaveOptions(name: "one"))
    try shop.folder.write("file".bytes, "other".bytes)
    _ = try repository.restore("one")
    #expect(try shop.state.differences(from: before) == [])
  }

  @Test func aChangeOfRefsIsMadeAgainWhenSomebodyWasQuicker() throws {
    let store = repository.store
    let other = try StorageSeamTests.open(shop, packs, refs).store
    refs.interruption.withLock {
      $0 = { _ = try? other.refs.update(waiting: 0) { $0["theirs"] = ObjectID(1, 2, 3, 4) } }
    }
    var calls = 0
    _ = try store.refs.update(waiting: 0) { refs in
      calls += 1
      refs["ours"] = ObjectID(5, 6, 7, 8)
    }
    #expect(calls == 2)
    let names = try store.refs.read().states.map(\.name)
    #expect(names == ["ours", "theirs"])
  }

  @Test func aChangeThatIsNotWantedIsNotWritten() throws {
    let generation = try repository.store.refs.read().generation
    let lock = try repository.lockForSaving(changes: true)
    let isDone = try repository.updateRefsIfWanted(holding: lock) { (refs) throws(RepositoryError) in
      refs["a"] = .zero
      return false
    }
    #expect(!isDone)
    #expect(try repository.store.refs.read().generation == generation)
    #expect(try repository.states().isEmpty)
  }
}
