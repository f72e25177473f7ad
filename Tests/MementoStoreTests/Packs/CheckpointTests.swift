import Dispatch
import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

/// A long save makes whole packs visible before its end.
struct CheckpointTests {
  private static let blobs = (0..<64).map { Content.random(20_000, seed: UInt64($0)) }

  /// All blobs, by so many workers, each with blocks of its own.
  private func write(_ store: Store, _ writer: PackWriter, workers: Int) throws -> [ObjectID] {
    let new = Mutex<[ObjectID]>([])
    let failures = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: workers) { worker in
      for number in CheckpointTests.blobs.indices where number % workers == worker {
        do {
          let ids = try store.add([CheckpointTests.blobs[number]], to: writer)
          new.withLock { $0 += ids }
        } catch {
          failures.withLock { $0 += 1 }
        }
      }
    }
    #expect(failures.withLock { $0 } == 0)
    return new.withLock { $0 }
  }

  @Test(arguments: [1, 4]) func whatIsCutOffStaysInPart(_ workers: Int) throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let writer = try store.packWriter(checkpoint: 100_000)
    #expect(try write(store, writer, workers: workers).count == 64)
    // 64 blobs of 20 kB in packs of a little more than 100 kB; the last is not full.
    let visible = try fixture.files("packs").count
    #expect((5...12).contains(visible))
    writer.discard()
    #expect(try fixture.files("tmp").isEmpty)
    #expect(try fixture.files("packs").count == visible)
    let next = try fixture.open()
    let again = try next.packWriter()
    let missing = try next.add(CheckpointTests.blobs, to: again)
    #expect((1...20).contains(missing.count))
    try again.finish()
    try expectAll(fixture)
  }

  @Test(arguments: [1, 4]) func allOfItIsThereAtTheEnd(_ workers: Int) throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let writer = try store.packWriter(checkpoint: 100_000)
    _ = try write(store, writer, workers: workers)
    let packs = try writer.finish()
    #expect(try fixture.files("packs").sorted() == packs.map { "\($0).pack" }.sorted())
    // This process knows them without listing the packs again.
    for blob in CheckpointTests.blobs { #expect(try store.read(ObjectID(hashing: blob)) == blob) }
    try expectAll(fixture)
  }

  /// Trees are read while they are written, from visible packs as from others.
  @Test func treesAreReadMeanwhile() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let writer = try store.packWriter(checkpoint: 100_000)
    let ids = try store.add(CheckpointTests.blobs, .meta, to: writer)
    #expect(try !fixture.files("packs").isEmpty)
    let pending = writer.pendingObjects()
    for (id, blob) in zip(ids, CheckpointTests.blobs) { #expect(try pending.read(id) == blob) }
    try writer.finish()
    try expectAll(fixture)
  }

  /// The larger a save, the larger its packs: each of the later ones has an eighth of what was written before.
  @Test func packsGrow() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let writer = try store.packWriter(checkpoint: 10_000)
    for blob in CheckpointTests.blobs { _ = try store.add([blob], to: writer) }
    #expect((16...30).contains(try writer.finish().count))
  }

  @Test func withoutACheckpointNothingIsVisible() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let writer = try store.packWriter()
    _ = try write(store, writer, workers: 4)
    #expect(try fixture.files("packs").isEmpty)
    writer.discard()
    #expect(try fixture.files("packs").isEmpty && fixture.files("tmp").isEmpty)
  }

  private func expectAll(_ fixture: StoreFixture) throws {
    let store = try fixture.open()
    for blob in CheckpointTests.blobs { #expect(try store.read(ObjectID(hashing: blob)) == blob) }
    #expect(try fixture.files("tmp").isEmpty)
  }
}
