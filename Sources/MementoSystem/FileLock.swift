// flock(2) on a permanent file: it dies with its process, so a lock is never stale.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

package enum LockMode: Sendable {
  case shared
  case exclusive
}

/// A held lock; released when it goes.
package struct FileLock: ~Copyable, Sendable {
  private let descriptor: Descriptor

  /// Not by closing alone: a child that another thread is starting has the descriptor, too, until it runs its program.
  deinit {
    _ = flock(descriptor.raw, LOCK_UN)
  }

  /// Which file is locked.
  package func identity() throws(Errno) -> FileIdentity {
    try descriptor.status().identity
  }

  /// After so many seconds of waiting somebody is told of it.
  private static let longWait = 0.5

  /// Waits for the lock on `name`, which is created when missing; nil when the time ran out or the wait was cancelled.
  package static func acquire(
    _ name: [UInt8], in directory: borrowing Descriptor, _ mode: LockMode, waiting wait: LockWait
  ) throws(Errno) -> FileLock? {
    let operation = (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
    let begin = Clock.monotonicSeconds()
    var pause = 0.001
    var isTold = false
    try directory.createOwnedIfMissing(name)
    while true {
      let descriptor = try open(name, in: directory)
      do throws(Errno) {
        let raw = descriptor.raw
        _ = try retrying { flock(raw, operation) }
        // Somebody may have replaced the file between open and flock: then this lock guards nothing.
        let identity = try descriptor.status().identity
        if try directory.statusIfPresent(of: name)?.identity == identity { return FileLock(descriptor: descriptor) }
      } catch {
        guard error == .wouldBlock else { throw error }
      }
      let waited = Clock.monotonicSeconds() - begin
      if wait.isCancelled() || waited >= max(0, wait.seconds) { return nil }
      if !isTold, waited >= longWait {
        isTold = true
        wait.isLong(holder(of: name, in: directory))
      }
      Clock.sleep(seconds: pause)
      pause = min(pause * 2, 0.05)
    }
  }

  /// NFS gives an exclusive lock only to who may write. Readers of a store that they may not write lock it, too.
  private static func open(_ name: [UInt8], in directory: borrowing Descriptor) throws(Errno) -> Descriptor {
    do throws(Errno) {
      return try directory.open(name, .readWriteOrCreate)
    } catch {
      guard [.readOnly, .permissionDenied, .notPermitted].contains(error) else { throw error }
      return try directory.open(name, .read)
    }
  }

  /// Who holds a lock on a file, for messages; nil where that cannot be known.
  package static func holder(of name: [UInt8], in directory: borrowing Descriptor) -> LockHolder? {
    // It is only told.
    guard let status = try? directory.status(of: name) else { return nil }
    return LockHolder.of(status.identity)
  }
}

/// How long a lock is waited for, who is told of it, and who can end it.
package struct LockWait: Sendable {
  package var seconds: Double
  /// Called once, when the wait has lasted half a second, with the process that holds the lock, where that is known.
  package var isLong: @Sendable (LockHolder?) -> Void
  /// Asked again and again: true ends the wait.
  package var isCancelled: @Sendable () -> Bool

  package init(
    seconds: Double, isLong: @escaping @Sendable (LockHolder?) -> Void = { _ in },
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.seconds = seconds
    self.isLong = isLong
    self.isCancelled = isCancelled
  }
}

extension LockWait: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  package init(integerLiteral seconds: Int) {
    self.init(seconds: Double(seconds))
  }

  package init(floatLiteral seconds: Double) {
    self.init(seconds: seconds)
  }
}

extension FileLock {
  /// What comes of trying to lock a file that may not be there.
  package enum Attempt: ~Copyable, Sendable {
    case missing
    case busy
    case held(FileLock)
  }

  /// Locks a file if it is there and can be had at once; makes none.
  package static func attempt(
    _ name: [UInt8], in directory: borrowing Descriptor, _ mode: LockMode
  ) throws(Errno) -> Attempt {
    while true {
      do throws(Errno) {
        let descriptor = try directory.open(name, .readWrite)
        let raw = descriptor.raw
        _ = try retrying { flock(raw, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
        // Somebody may have removed or replaced the file between open and flock.
        if try directory.status(of: name).identity == descriptor.status().identity {
          return .held(FileLock(descriptor: descriptor))
        }
      } catch {
        switch error {
        case .notFound: return .missing
        case .wouldBlock: return .busy
        default: throw error
        }
      }
    }
  }

  /// Writes over the first bytes of the file that is locked; this needs no space.
  package func overwriteHead(_ bytes: [UInt8]) throws(Errno) {
    try descriptor.write(bytes, at: 0)
  }

  /// The first bytes of the file that is locked.
  package func head(_ count: Int) throws(Errno) -> [UInt8] {
    try descriptor.bytes(at: 0, count: count)
  }
}

extension Descriptor {
  /// Marks a temporary file as in use for as long as it is open.
  package func lockAgainstSweep() throws(Errno) {
    let raw = self.raw
    _ = try retrying { flock(raw, LOCK_EX | LOCK_NB) }
  }

  /// Whether another open of this file holds a lock on it; true as well when that cannot be found out.
  package func isLockedByOther() -> Bool {
    flock(raw, LOCK_SH | LOCK_NB) != 0
  }
}
