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

  /// Waits up to `seconds` for the lock on `name`, which is created when missing; nil when time ran out.
  package static func acquire(
    _ name: [UInt8], in directory: borrowing Descriptor, _ mode: LockMode, waiting seconds: Double
  ) throws(Errno) -> FileLock? {
    let operation = (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
    let deadline = Clock.monotonicSeconds() + max(0, seconds)
    var pause = 0.001
    try directory.createOwnedIfMissing(name)
    while true {
      // flock needs no write access, so that readers of a read-only store can lock, too.
      let descriptor: Descriptor
      do throws(Errno) {
        descriptor = try directory.open(name, .readOrCreate)
      } catch {
        guard error == .readOnly || error == .permissionDenied else { throw error }
        descriptor = try directory.open(name, .read)
      }
      do throws(Errno) {
        let raw = descriptor.raw
        _ = try retrying { flock(raw, operation) }
        // Somebody may have replaced the file between open and flock: then this lock guards nothing.
        if let now = try? directory.status(of: name),
          now.identity == (try descriptor.status().identity)
        {
          return FileLock(descriptor: descriptor)
        }
      } catch {
        guard error == .wouldBlock else { throw error }
      }
      if Clock.monotonicSeconds() >= deadline { return nil }
      Clock.sleep(seconds: pause)
      pause = min(pause * 2, 0.05)
    }
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

  /// Whether another open of this file holds a lock on it.
  package func isLockedByOther() -> Bool {
    flock(raw, LOCK_SH | LOCK_NB) != 0
  }
}
