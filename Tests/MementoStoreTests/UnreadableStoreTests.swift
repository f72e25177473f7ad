// A file that cannot be examined does not count as missing.

import MementoStore
import MementoSystem
import TestSupport
import Testing

struct UnreadableStoreTests {
  private let blobs = (0..<4).map { Content.random(1000, seed: $0 + 70) }

  /// A store with two packs.
  private func stored() throws -> StoreFixture {
    let fixture = try StoreFixture()
    try fixture.open().put(Array(blobs[..<2]))
    try fixture.open().put(Array(blobs[2...]))
    return fixture
  }

  @Test func packsThatCannotBeListedAreNotGone() throws {
    let fixture = try stored()
    let store = try fixture.open()
    let tables = try fixture.files("index")
    try fixture.directory.rename("packs", to: "away")
    #expect(outcome { try store.index.presentPacks() } == .system(.notFound))
    #expect(outcome { try store.index.intactPacks() } == .system(.notFound))
    #expect(outcome { try store.index.reconcile(again: true) } == .system(.notFound))
    #expect(outcome { try store.index.contains(.zero) } == .system(.notFound))
    #expect(outcome { try store.read(.zero) } == .system(.notFound))
    #expect(outcome { try store.packWriter() } == .system(.notFound))
    // No blob is removed, and no table is replaced by an empty one.
    #expect(outcome { try Sweep(store).plan(keeping: BlobSet()) } == .system(.notFound))
    #expect(outcome { try store.index.rebuild() } == .system(.notFound))
    #expect(try fixture.files("index") == tables)
    try fixture.directory.rename("away", to: "packs")
    for blob in blobs { #expect(try store.read(ObjectID(hashing: blob)) == blob) }
  }

  /// A sweep must have read one of several copies before it removes the others.
  @Test func copiesThatCannotBeReadAllStay() throws {
    let once = try StoreFixture { $0.compression = .none }
    try once.open().put(blobs)
    let again = try StoreFixture { $0.compression = .none }
    try again.open().put([blobs[0]])
    let name = try again.onlyFile("packs")
    try once.directory.write(name, try again.directory.read(name))
    var needed = BlobSet()
    _ = needed.insert(ObjectID(hashing: blobs[0]))
    for pack in try once.files("packs") {
      let path = "packs/\(pack)"
      try once.directory.write(path, Content.flipping(try once.directory.read(path), bit: 8 * 100))
    }
    let store = try once.open()
    #expect(outcome { try Sweep(store).plan(keeping: needed) } == .damaged)
    #expect(try once.files("packs").count == 2)
  }

  @Test func aJournalThatCannotBeReadIsNotEmpty() throws {
    let fixture = try StoreFixture()
    let journal = Journal(try fixture.folder())
    #expect(outcome { try journal.newestFirst() } == .done)
    try fixture.directory.descriptor.makeSymbolicLink("journal".bytes, target: "elsewhere".bytes)
    #expect(outcome { try journal.newestFirst() } == .system(.loop))
  }
}
