// Somebody takes the file of a lock away while a command waits for its second lock. From then on the first keeps nobody out,
// so the command ends and changes nothing.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct LostLockTests {
  enum Work: CaseIterable, Sendable {
    case fork, forget, purge, purgePath, collect

    func run(_ shop: RepositoryFixture, _ place: BytePath, hearing monitor: any Monitor = SilentMonitor()) throws {
      let repository = try shop.reopened()
      switch self {
      case .fork: try repository.fork("one", to: place, options: RepositoryFixture.quick, monitor: monitor)
      case .forget: try repository.forgetFork(place, options: RepositoryFixture.quick, monitor: monitor)
      case .purge: _ = try repository.purge(["one"], monitor: monitor)
      case .purgePath: _ = try repository.purge(PurgeOptions(["text"]), monitor: monitor)
      case .collect: _ = try repository.collectGarbage(emptyingTrash: true, monitor: monitor)
      }
    }
  }

  /// Holds a lock until somebody waits for it. Then the lock of the packs is taken away, and this one is free.
  private final class Thief: Monitor {
    private let folder: FolderTools
    private let refs: RefsFile
    private let held: Mutex<FileLock?>

    init(_ name: String, in folder: FolderTools, _ refs: RefsFile) throws {
      let open = try Descriptor.open(folder.path, .namedDirectory)
      held = Mutex(try FileLock.acquire(name.bytes, in: open, .exclusive, waiting: 0))
      self.folder = folder
      self.refs = refs
    }

    func begin(_ phase: Phase) {}
    func advance(files: Int, bytes: UInt64) {}
    func report(_ problem: Problem) {}

    /// Asked before each further attempt to take a lock.
    var isCancelled: Bool {
      let isHolding = held.withLock { held in
        switch held {
        case .some: true
        case nil: false
        }
      }
      if !isHolding { return false }
      try? folder.remove("packs.lock".bytes)
      // The restore that others have waited for has ended.
      _ = try? refs.update(waiting: 10) { $0.pending = nil }
      held.withLock { $0 = nil }
      return false
    }
  }

  /// What the commands change: the names and steps, and the packs.
  private func state(_ shop: RepositoryFixture) throws -> [[UInt8]] {
    let refs = try shop.reopened().readRefs()
    return try shop.storeFolder.folder("packs").names().sorted { $0.lexicographicallyPrecedes($1) }
      + refs.states.map { "\($0.name) \($0.snapshot)".bytes } + refs.forks.map(\.path)
      + refs.timeline.steps.map { "\($0.snapshot)".bytes }
  }

  @Test(arguments: Work.allCases) func aLockThatIsTakenAwayEndsTheWork(_ work: Work) throws {
    let shop = try RepositoryFixture()
    for name in ["one", "two"] {
      try shop.folder.write("text".bytes, name.bytes)
      try shop.save(name)
    }
    let place = BytePath(shop.directory.path).appending("fork".bytes)
    if work != .fork { try Work.fork.run(shop, place) }
    try shop.repository.saveValues([NamedValue(name: "v", bytes: Content.random(1000, seed: 1))])
    _ = try shop.repository.delete(["v"])
    let before = try state(shop)
    let refs = try shop.reopened().store.refs
    let fork = work == .forget ? try shop.repository.forks().map { "-\($0.id)" }.joined() : ""
    let thief = try Thief("folder.lock\(fork)", in: shop.storeFolder, refs)
    if work == .fork {
      // Only while somebody restores, this command waits for the lock of the folder.
      let id = try shop.repository.snapshot("one").id.object
      _ = try refs.update(waiting: 10) { refs in
        refs.pending = PendingRestore(target: id, before: nil, staging: "restore-1-2", position: nil)
      }
    }
    #expect(code { try work.run(shop, place, hearing: thief) } == .system)
    #expect(try state(shop) == before)
    #expect(shop.directory.exists("fork") == (work != .fork))
    // With all its locks it does what it is for.
    try work.run(shop, place)
    #expect(try state(shop) != before)
  }
}
