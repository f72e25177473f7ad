// A sweep never removes a blob that is needed.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

struct SweepTests {
  private let blobs = (0..<6).map { Content.random(1000, seed: $0) }

  private func sweep(_ store: Store, keeping kept: [[UInt8]]) throws -> SweepPlan {
    var needed = BlobSet()
    for blob in kept { _ = needed.insert(ObjectID(hashing: blob)) }
    let sweep = Sweep(store)
    let plan = try sweep.plan(keeping: needed)
    _ = try sweep.execute(plan, keeping: needed, holding: try store.folder.lockAlone())
    return plan
  }

  /// The name and the bytes of a pack with exactly these blobs, made in a store of its own.
  private func pack(_ blobs: [[UInt8]]) throws -> (name: String, bytes: [UInt8]) {
    let fixture = try StoreFixture { $0.compression = .none }
    try fixture.open().put(blobs)
    let name = try fixture.onlyFile("packs")
    return (name, try fixture.directory.read(name))
  }

  /// The state after a gc that was killed when it had written the new pack and had not yet removed the old ones. Needed
  /// blobs are in several packs, and the next gc may make a pack that is there already.
  @Test func aCollectionThatWasInterruptedIsFinished() throws {
    let packs = try [
      pack([blobs[0], blobs[1]]), pack([blobs[2], blobs[3]]), pack([blobs[0], blobs[2]]), pack([blobs[2], blobs[0]]),
    ]
    let kept = [blobs[0], blobs[2]]
    // Packs are read in the order of their names, so each set of packs is another case.
    for chosen in 1..<(1 << packs.count) {
      let fixture = try StoreFixture { $0.compression = .none }
      var held: Set<[UInt8]> = []
      for (index, pack) in packs.enumerated() where chosen >> index & 1 == 1 {
        try fixture.directory.write(pack.name, pack.bytes)
        held.formUnion([[0, 1], [2, 3], [0, 2], [2, 0]][index].map { blobs[$0] })
      }
      let needed = kept.filter { held.contains($0) }
      _ = try sweep(fixture.open(), keeping: needed)
      let store = try fixture.open()
      for blob in needed { #expect(outcome { try store.read(ObjectID(hashing: blob)) } == .done, "\(chosen)") }
    }
  }

  /// A gc that is cancelled at any moment ends, and every needed blob is still there.
  @Test func aCollectionThatIsStoppedLosesNothing() throws {
    var moment = 0
    while true {
      let fixture = try StoreFixture()
      try fixture.open().put([blobs[0], blobs[1]])
      try fixture.open().put([blobs[2], blobs[3]])
      try fixture.open().put([blobs[4], blobs[0]])
      let store = try fixture.open()
      var needed = BlobSet()
      for blob in [blobs[0], blobs[2]] { _ = needed.insert(ObjectID(hashing: blob)) }
      let asked = Countdown(moment)
      let sweep = Sweep(store, isCancelled: { asked.isOver() })
      let kept = needed
      let end = outcome {
        try sweep.execute(try sweep.plan(keeping: kept), keeping: kept, holding: try store.folder.lockAlone())
      }
      for blob in [blobs[0], blobs[2]] {
        let again = try fixture.open()
        #expect(outcome { try again.read(ObjectID(hashing: blob)) } == .done, "stopped at \(moment)")
      }
      #expect(try fixture.files("tmp") == [], "stopped at \(moment)")
      if end == .done { break }
      #expect(end == .cancelled, "stopped at \(moment)")
      moment += 1
    }
    #expect(moment > 3)
  }

  @Test func aRepairThatIsStoppedLeavesNothing() throws {
    let fixture = try StoreFixture()
    try fixture.open().put([blobs[0], blobs[1]])
    let store = try fixture.open()
    let packs = Set(try store.index.presentPacks())
    let lock = try store.folder.lockAlone()
    #expect(outcome { try Salvage(store, isCancelled: { true }).copy(packs, holding: lock) } == .cancelled)
    #expect(try fixture.files("tmp") == [])
    #expect(Set(try fixture.open().index.presentPacks()) == packs)
  }

  @Test func whatIsNotNeededGoes() throws {
    let fixture = try StoreFixture()
    try fixture.open().put([blobs[0], blobs[1]])
    try fixture.open().put([blobs[2]])
    let plan = try sweep(fixture.open(), keeping: [blobs[0]])
    #expect([plan.dead.count, plan.rewritten.count, plan.blobsRemoved] == [1, 1, 2])
    let store = try fixture.open()
    #expect(try store.read(ObjectID(hashing: blobs[0])) == blobs[0])
    for blob in blobs[1...2] { #expect(outcome { try store.read(ObjectID(hashing: blob)) } == .missing) }
    #expect(try fixture.files("packs").count == 1)
  }

  /// One blob of many is not needed. Without an extent it would stay until more of the pack is not needed.
  @Test func nothingThatMustGoStays() throws {
    for kind in 0..<3 {
      let fixture = try StoreFixture()
      let many = (10..<40).map { Content.random(1000, seed: $0) }
      try fixture.open().put(many)
      try fixture.open().put(blobs + many.prefix(2))
      let store = try fixture.open()
      var needed = BlobSet()
      for blob in many.dropLast() + blobs { _ = needed.insert(ObjectID(hashing: blob)) }
      var gone = BlobSet()
      _ = gone.insert(ObjectID(hashing: many[29]))
      _ = gone.insert(ObjectID(hashing: blobs[0]))
      let extent = [SweepExtent.sparse, .removing(gone), .everything][kind]
      let plan = try Sweep(store).plan(keeping: needed, extent: extent)
      #expect(plan.rewritten.count == (kind == 0 ? 0 : 1))
      _ = try Sweep(store).execute(plan, keeping: needed, holding: try store.folder.lockAlone())
      let again = try fixture.open()
      #expect(outcome { try again.read(ObjectID(hashing: many[29])) } == (kind == 0 ? .done : .missing))
      for blob in many.dropLast() + blobs {
        #expect(outcome { try again.read(ObjectID(hashing: blob)) } == .done)
      }
    }
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
