import Dispatch
import MementoSystem
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct FileLockTests {
  let folder: TemporaryDirectory
  let name = "lock".bytes

  init() throws {
    folder = try TemporaryDirectory()
  }

  /// Whether the lock can be had now, while the caller may hold it.
  private func isFree(_ mode: LockMode) throws -> Bool {
    let lock = try FileLock.acquire(name, in: folder.descriptor, mode, waiting: 0)
    switch consume lock {
    case .some: return true
    case nil: return false
    }
  }

  @Test(arguments: [
    (LockMode.shared, LockMode.shared, true),
    (.shared, .exclusive, false),
    (.exclusive, .shared, false),
    (.exclusive, .exclusive, false),
  ])
  func sharedLocksAgree(_ held: LockMode, _ wanted: LockMode, _ agrees: Bool) throws {
    let lock = try FileLock.acquire(name, in: folder.descriptor, held, waiting: 0)
    let isFree = try isFree(wanted)
    #expect(isFree == agrees)
    _ = consume lock
    let isFreeAfter = try self.isFree(wanted)
    #expect(isFreeAfter)
  }

  @Test func timeRunsOut() throws {
    let held = try FileLock.acquire(name, in: folder.descriptor, .exclusive, waiting: 0)
    let start = Clock.monotonicSeconds()
    let second = try FileLock.acquire(name, in: folder.descriptor, .shared, waiting: 0.05)
    let isNil = second == nil
    #expect(isNil)
    #expect(Clock.monotonicSeconds() - start >= 0.05)
    _ = consume held
  }

  /// With all the time there is, a wait ends when it is cancelled; who holds the lock is told once.
  @Test func aLongWaitIsToldAndCanBeEnded() throws {
    let held = try FileLock.acquire(name, in: folder.descriptor, .exclusive, waiting: 0)
    let told = Mutex<[LockHolder?]>([])
    let wait = LockWait(
      seconds: .infinity, isLong: { holder in told.withLock { $0.append(holder) } },
      isCancelled: { told.withLock { !$0.isEmpty } })
    let second = try FileLock.acquire(name, in: folder.descriptor, .shared, waiting: wait)
    let isNil = second == nil
    #expect(isNil)
    let holders = told.withLock { $0 }
    #expect(holders.count == 1)
    #if os(Linux)
      #expect(holders.first??.process == getpid())
      #expect(holders.first??.command?.isEmpty == false)
    #endif
    _ = consume held
  }

  @Test func aCancelledWaitIsNotBegun() throws {
    let held = try FileLock.acquire(name, in: folder.descriptor, .exclusive, waiting: 0)
    let wait = LockWait(
      seconds: .infinity, isLong: { _ in Issue.record("it waited") }, isCancelled: { true })
    let second = try FileLock.acquire(name, in: folder.descriptor, .exclusive, waiting: wait)
    let isNil = second == nil
    #expect(isNil)
    _ = consume held
    // A lock that is free is had all the same.
    let third = try FileLock.acquire(name, in: folder.descriptor, .exclusive, waiting: wait)
    let isHeld = third != nil
    #expect(isHeld)
    _ = consume third
  }

  /// A file that may not be written is locked by who reads.
  @Test func aReadOnlyLockIsSharedByReaders() throws {
    try folder.write("lock", [])
    try folder.descriptor.setPermissions(of: name, 0o444)
    let lock = try FileLock.acquire(name, in: folder.descriptor, .shared, waiting: 0)
    let isHeld = lock != nil
    #expect(isHeld)
    _ = consume lock
  }

  @Test func negativeTimeDoesNotWait() throws {
    let held = try FileLock.acquire(name, in: folder.descriptor, .exclusive, waiting: -1)
    let second = try FileLock.acquire(name, in: folder.descriptor, .exclusive, waiting: LockWait(seconds: -.infinity))
    let outcome = (held == nil, second == nil)
    #expect(outcome == (false, true))
    _ = consume held
  }

  @Test func isReleasedAtTheEndOfItsScope() throws {
    do {
      let held = try FileLock.acquire(name, in: folder.descriptor, .exclusive, waiting: 0)
      let isFree = try isFree(.shared)
      #expect(!isFree)
      _ = consume held
    }
    let isFree = try isFree(.exclusive)
    #expect(isFree)
    // The file stays: removing it would let two holders in.
    #expect(try folder.names() == ["lock"])
  }

  /// A child has a copy of every descriptor until it runs its program.
  @Test func isReleasedThoughACopyIsOpen() throws {
    let held = try FileLock.acquire(name, in: folder.descriptor, .exclusive, waiting: 0)
    let identity = try folder.descriptor.status(of: name).identity
    var copies: [Int32] = []
    for number in Int32(3)..<1024 {
      var status = stat()
      if fstat(number, &status) == 0, UInt64(status.st_ino) == identity.inode { copies.append(dup(number)) }
    }
    defer { for copy in copies { close(copy) } }
    #expect(!copies.isEmpty)
    _ = consume held
    let isFree = try isFree(.exclusive)
    #expect(isFree)
  }

  @Test func waitsUntilItIsFree() throws {
    let turns = Mutex(0)
    let most = Mutex(0)
    let folder = self.folder
    let name = self.name
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<5 {
        do {
          let lock = try FileLock.acquire(name, in: folder.descriptor, .exclusive, waiting: 60)
          let inside = turns.withLock { value in
            value += 1
            return value
          }
          most.withLock { $0 = max($0, inside) }
          Clock.sleep(seconds: 0.001)
          turns.withLock { $0 -= 1 }
          if lock == nil { failures.withLock { $0.append("no lock") } }
          _ = consume lock
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(most.withLock { $0 } == 1)
  }

  @Test func aReplacedFileIsTheOneThatCounts() throws {
    let old = try FileLock.acquire(name, in: folder.descriptor, .exclusive, waiting: 0)
    try folder.write("new", [])
    try folder.descriptor.rename("new".bytes, to: name, in: folder.descriptor)
    // The old holder guards a file that has no name any more.
    let new = try FileLock.acquire(name, in: folder.descriptor, .exclusive, waiting: 0)
    let isHeld = new != nil
    #expect(isHeld)
    let third = try isFree(.shared)
    #expect(!third)
    _ = consume old
    let fourth = try isFree(.shared)
    #expect(!fourth)
    _ = consume new
  }

  @Test func aFileReplacedWhileWaitingIsSeen() throws {
    let held = try FileLock.acquire(name, in: folder.descriptor, .exclusive, waiting: 0)
    let folder = self.folder
    let name = self.name
    let gotIt = Mutex(false)
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      let lock = try? FileLock.acquire(name, in: folder.descriptor, .exclusive, waiting: 60)
      if lock != nil { gotIt.withLock { $0 = true } }
      _ = consume lock
    }
    Clock.sleep(seconds: 0.02)
    try folder.descriptor.removeFile(name)
    group.wait()
    #expect(gotIt.withLock { $0 })
    _ = consume held
  }

  @Test func aLinkIsNoLock() throws {
    try folder.write("elsewhere", [])
    try folder.descriptor.makeSymbolicLink(name, target: "elsewhere".bytes)
    #expect(throws: Errno.loop) {
      let lock = try FileLock.acquire(name, in: folder.descriptor, .shared, waiting: 0)
      _ = consume lock
    }
  }

  @Test func aFileInUseIsSeenByOthers() throws {
    let mine = try folder.descriptor.open("pack".bytes, .create)
    let other = try folder.descriptor.open("pack".bytes, .read)
    let before = other.isLockedByOther()
    #expect(!before)
    let third = try folder.descriptor.open("pack".bytes, .read)
    // `other` has taken a shared lock by asking; it goes with it.
    _ = consume other
    try mine.lockAgainstSweep()
    let after = third.isLockedByOther()
    #expect(after)
    try mine.finish()
    let end = third.isLockedByOther()
    #expect(!end)
  }
}
