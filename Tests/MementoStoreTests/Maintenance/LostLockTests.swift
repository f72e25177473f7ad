// A lock whose file somebody has taken away keeps nobody out. Whoever holds it changes nothing any more.

import MementoStore
import MementoSystem
import TestSupport
import Testing

struct LostLockTests {
  enum Work: CaseIterable, Sendable {
    case merge, remove, rewrite, sort, setAside, change

    /// Does it, with packs of which everything is needed.
    func run(_ store: Store, holding lock: borrowing StoreLock<RemovesPacks>) throws {
      let packs = try store.index.presentPacks().sorted()
      switch self {
      case .merge: _ = try PackMerge(store).run(packs, holding: lock, while: { true }, note: { _, _ in })
      case .remove: try PieceSweep(store).remove(packs, holding: lock)
      case .rewrite:
        _ = try PieceSweep(store).rewrite(
          packs, keeping: { _ in true }, trusting: [], copyingAtMost: 1 << 30, while: { true }, holding: lock)
      case .sort:
        _ = try VersionSort(store).run(
          packs, place: { _ in VersionPlace(.root, 0) }, trusting: [], while: { true }, holding: lock)
      case .setAside: try Salvage(store).setAside(Set(packs), holding: lock)
      case .change:
        let done = try store.changeConfig(holding: lock, waiting: 0) { (bytes) throws(StoreError) in
          bytes + "keep = 3d\n".bytes
        }
        _ = try done.get()
      }
    }
  }

  private func fixture() throws -> StoreFixture {
    let fixture = try StoreFixture()
    for seed in 0..<4 as Range<UInt64> {
      try fixture.open().put([Content.text(500, seed: seed), Content.text(400, seed: seed)])
    }
    return fixture
  }

  /// The packs and the config.
  private func state(_ fixture: StoreFixture) throws -> [[UInt8]] {
    try fixture.files("packs").map(\.bytes) + [fixture.directory.read("config")]
  }

  @Test(arguments: Work.allCases)
  func nothingIsChangedWithoutIt(_ work: Work) throws {
    for name in ["packs.lock", "folder.lock"] {
      let fixture = try fixture()
      let before = try state(fixture)
      let store = try fixture.open()
      let lock = try store.folder.lockAlone()
      try fixture.directory.descriptor.removeFile(name.bytes)
      #expect(outcome { try work.run(store, holding: lock) } == .system(.notFound), "\(name)")
      #expect(try state(fixture) == before, "\(name)")
    }
  }

  /// Proves that the work changes something when nobody has taken the lock away.
  @Test(arguments: Work.allCases)
  func withItTheWorkIsDone(_ work: Work) throws {
    let fixture = try fixture()
    let before = try state(fixture)
    let store = try fixture.open()
    let lock = try store.folder.lockAlone()
    try work.run(store, holding: lock)
    #expect(try state(fixture) != before)
  }
}
