// A lock with flock(2) on a permanent file. The kernel releases it when its process ends, so a lock is never stale.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

package enum LockMode: Sendable {
  case shared
  case exclusive
}

/// A held lock. It is released when the value goes out of scope.
package struct FileLock: ~Copyable, Sendable {
  private let descriptor: Descriptor

  /// Closing the descriptor would not release the lock at once: a child process that another thread starts has the
  /// descriptor too, until it runs its program.
  deinit {
    _ = flock(descriptor.raw, LOCK_UN)
  }

  /// The identity of the locked file.
  package func identity() throws(Errno) -> FileIdentity {
    try descriptor.status().identity
  }

  /// Seconds after which `LockWait.isLong` is called.
  private static let longWait = 0.5

  /// Locks the file `name`, which is made when it is missing. Returns nil when `wait.seconds` are over or the wait is
  /// cancelled.
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
        // Another process may have replaced the file between open and flock. A lock on the old file would guard
        // nothing.
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

  /// NFS grants an exclusive lock only to a process that may write the file. Readers of a store that they may not write
  /// must be able to lock it too, so the file is opened for reading when it cannot be opened for writing.
  private static func open(_ name: [UInt8], in directory: borrowing Descriptor) throws(Errno) -> Descriptor {
    do throws(Errno) {
      return try directory.open(name, .readWriteOrCreate)
    } catch {
      guard [.readOnly, .permissionDenied, .notPermitted].contains(error) else { throw error }
      return try directory.open(name, .read)
    }
  }

  /// The process that holds a lock on a file, for messages; nil when that cannot be found out.
  package static func holder(of name: [UInt8], in directory: borrowing Descriptor) -> LockHolder? {
    // An error does not matter: the result only appears in a message.
    guard let status = try? directory.status(of: name) else { return nil }
    return LockHolder.of(status.identity)
  }
}

/// How long to wait for a lock, what to call when the wait is long, and what can end it.
package struct LockWait: Sendable {
  /// The longest wait, in seconds.
  package var seconds: Double
  /// Called once, when the wait has lasted half a second. The argument is the process that holds the lock, if that is
  /// known.
  package var isLong: @Sendable (LockHolder?) -> Void
  /// Called before each further attempt. True ends the wait.
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
  /// The result of `attempt`.
  package enum Attempt: ~Copyable, Sendable {
    case missing
    case busy
    case held(FileLock)
  }

  /// Tries once to lock a file, without waiting. Does not make the file.
  package static func attempt(
    _ name: [UInt8], in directory: borrowing Descriptor, _ mode: LockMode
  ) throws(Errno) -> Attempt {
    while true {
      do throws(Errno) {
        let descriptor = try directory.open(name, .readWrite)
        let raw = descriptor.raw
        _ = try retrying { flock(raw, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
        // Another process may have removed or replaced the file between open and flock. Then try again.
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

  /// Overwrites the first bytes of the locked file. This needs no space on the disk if the file is already that long.
  package func overwriteHead(_ bytes: [UInt8]) throws(Errno) {
    try descriptor.write(bytes, at: 0)
  }

  /// The first `count` bytes of the locked file; fewer when it is shorter.
  package func head(_ count: Int) throws(Errno) -> [UInt8] {
    try descriptor.bytes(at: 0, count: count)
  }
}

extension Descriptor {
  /// Locks a temporary file for as long as it is open, so that a sweep does not remove it. Throws `.wouldBlock` when
  /// another open of the file has a lock.
  package func lockAgainstSweep() throws(Errno) {
    let raw = self.raw
    _ = try retrying { flock(raw, LOCK_EX | LOCK_NB) }
  }

  /// Whether another open of this file holds an exclusive lock on it. Also true when that could not be found out.
  package func isLockedByOther() -> Bool {
    flock(raw, LOCK_SH | LOCK_NB) != 0
  }
}
