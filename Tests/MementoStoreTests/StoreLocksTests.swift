// Which commands wait for which, and how a store with one lock is upgraded to two.

import MementoStore
import MementoSystem
import TestSupport
import Testing

struct StoreLocksTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
  }

  enum Use: CaseIterable, Sendable {
    case packs, reads, changes, removes

    /// Whether the lock can be taken now.
    func canBeHad(_ store: Store, upgrading: Bool = true) -> Outcome {
      outcome {
        switch self {
        case .packs: _ = try store.locks.take(UsesPacks.self, upgrading: upgrading, waiting: 0)
        case .reads: _ = try store.locks.take(ReadsFolder.self, upgrading: upgrading, waiting: 0)
        case .changes: _ = try store.locks.take(ChangesFolder.self, upgrading: upgrading, waiting: 0)
        case .removes: _ = try store.locks.take(RemovesPacks.self, upgrading: upgrading, waiting: 0)
        }
      }
    }

    /// The uses whose locks can be taken at the same time.
    var others: [Use] {
      switch self {
      case .packs: [.packs, .reads, .changes]
      case .reads: [.packs, .reads]
      case .changes: [.packs]
      case .removes: []
      }
    }
  }

  private func holding<Used: StoreUse>(_ lock: borrowing StoreLock<Used>, _ body: () throws -> Void) throws {
    try body()
  }

  private func check<Used: StoreUse>(_ lock: borrowing StoreLock<Used>) -> Outcome {
    do throws(StoreError) {
      try lock.check()
      return .done
    } catch {
      return outcome { throw error }
    }
  }

  private func expectOnly(_ others: [Use], upgrading: Bool = true) throws {
    for use in Use.allCases {
      let end = use.canBeHad(try fixture.open(), upgrading: upgrading)
      #expect(end == (others.contains(use) ? .done : .locked), "\(use)")
    }
  }

  @Test func onlyWhatConflictsWaits() throws {
    let locks = try fixture.open().locks
    try holding(locks.take(UsesPacks.self, upgrading: true, waiting: 0)) { try expectOnly(Use.packs.others) }
    try holding(locks.take(ReadsFolder.self, upgrading: true, waiting: 0)) { try expectOnly(Use.reads.others) }
    try holding(locks.take(ChangesFolder.self, upgrading: true, waiting: 0)) { try expectOnly(Use.changes.others) }
    try holding(locks.take(RemovesPacks.self, upgrading: true, waiting: 0)) { try expectOnly(Use.removes.others) }
    try expectOnly(Use.allCases)
  }

  @Test(arguments: ["packs.lock", "folder.lock"])
  func aLockThatIsTakenAwayProvesNothing(_ name: String) throws {
    let locks = try fixture.open().locks
    let lock = try locks.take(ReadsFolder.self, upgrading: true, waiting: 0)
    try lock.check()
    try fixture.directory.descriptor.removeFile(name.bytes)
    #expect(check(lock) == .system(.notFound))
    _ = try locks.take(ReadsFolder.self, upgrading: true, waiting: 0)
    #expect(check(lock) == .system(.stale))
  }

  // MARK: Stores of older versions

  private func makeOld() throws {
    try fixture.directory.descriptor.removeTree("lock".bytes)
    for name in ["packs.lock", "folder.lock"] { try fixture.directory.descriptor.removeFile(name.bytes) }
    let text = String(decoding: try fixture.directory.read("config"), as: UTF8.self)
    try fixture.directory.write("config", text.replacing("two-locks", with: "").bytes)
    try fixture.directory.write("lock", [])
  }

  /// Takes the lock of an older version. Nil when it is held.
  private func oldLock(_ mode: LockMode) throws -> FileLock? {
    try FileLock.acquire("lock".bytes, in: fixture.directory.descriptor, mode, waiting: 0)
  }

  private func isFree(_ mode: LockMode) throws -> Bool {
    switch try oldLock(mode) {
    case .some: true
    case nil: false
    }
  }

  private var isUpgraded: Bool {
    get throws {
      let features = try Config(fixture.directory.read("config")).features
      let isFile = try fixture.directory.descriptor.status(of: "lock".bytes).isRegular
      #expect(features.isEmpty == isFile)
      return !features.isEmpty
    }
  }

  @Test func whoOnlyLooksKeepsAnOlderVersionOut() throws {
    try makeOld()
    let lock = try fixture.open().locks.take(UsesPacks.self, upgrading: false, waiting: 0)
    #expect(!(try isFree(.exclusive)))
    #expect(try isFree(.shared))
    #expect(try !isUpgraded)
    try lock.check()
    // Commands that would upgrade use the old lock, or wait.
    #expect(Use.reads.canBeHad(try fixture.open()) == .done)
    #expect(Use.changes.canBeHad(try fixture.open()) == .locked)
    #expect(Use.removes.canBeHad(try fixture.open()) == .locked)
    #expect(try !isUpgraded)
  }

  @Test(arguments: [LockMode.shared, .exclusive])
  func nobodyUpgradesBesideAnOlderVersion(_ mode: LockMode) throws {
    try makeOld()
    let old = try oldLock(mode)
    try expectOnly(mode == .shared ? [.packs, .reads] : [])
    #expect(try !isUpgraded)
    _ = consume old
    try expectOnly(Use.allCases)
    #expect(try isUpgraded)
  }

  /// A store stays open while another process upgrades it. It then uses the new locks.
  @Test func whoWasOpenedBeforeUsesTheNewLocks() throws {
    try makeOld()
    let early = try fixture.open()
    _ = try fixture.open().locks.take(ReadsFolder.self, upgrading: true, waiting: 0)
    #expect(try isUpgraded)
    let lock = try early.locks.take(UsesPacks.self, upgrading: false, waiting: 0)
    try expectOnly(Use.packs.others)
    _ = consume lock
    try holding(early.locks.take(RemovesPacks.self, upgrading: true, waiting: 0)) { try expectOnly([]) }
  }

  /// A store after a kill between the two steps of the upgrade, and a copy of a store without its locks.
  @Test(arguments: [true, false])
  func whatIsLeftOfTheUpgradeIsDone(_ isMissing: Bool) throws {
    try fixture.directory.descriptor.removeTree("lock".bytes)
    if !isMissing { try fixture.directory.write("lock", []) }
    try holding(fixture.open().locks.take(UsesPacks.self, upgrading: false, waiting: 0)) {
      let end = Use.removes.canBeHad(try fixture.open())
      #expect(end == .locked)
    }
    #expect(Use.removes.canBeHad(try fixture.open()) == .done)
    #expect(try isUpgraded)
  }

  @Test func whoMakesAStoreWaitsForWhoHasMadeIt() throws {
    let lock = try fixture.open().locks.take(UsesPacks.self, upgrading: true, waiting: 0)
    #expect(outcome { _ = try StoreLocks.takeForMaking(in: fixture.directory.descriptor, waiting: 0) } == .locked)
    _ = consume lock
    let making = try StoreLocks.takeForMaking(in: fixture.directory.descriptor, waiting: 0)
    try expectOnly([])
    _ = consume making
  }
}
