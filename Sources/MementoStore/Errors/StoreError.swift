// Everything that can go wrong below the level of snapshots. Sentences are made by the command line; here stand facts.

package import MementoSystem

package enum StoreError: Error, Sendable {
  /// A system call failed on a file of the store.
  case system(operation: String, path: String, Errno)
  /// Bytes of the store are not what they were when they were written, or never were right.
  case damaged(file: String, reason: String)
  /// A blob that something refers to is not in any pack.
  case missing(ObjectID)
  /// The store was made by a later version of this program.
  case newerFormat(found: String)
  /// A value in `config` is not understood.
  case badConfig(ConfigFault)
  /// Another process holds the lock.
  case locked(by: LockHolder?)
  case cancelled

  /// Whether it is a file of the store that is not as it was written, and not the machine that refuses something.
  package var isDamage: Bool {
    switch self {
    case .damaged, .missing: true
    case .system(_, _, let errno): [.input, .invalid, .isDirectory, .loop, .noDevice].contains(errno)
    default: false
    }
  }

  /// Whether it is whole, as far as can be told, and of a later version.
  package var isNewer: Bool {
    if case .newerFormat = self { return true }
    return false
  }

  /// Whether a pack that failed so may be whole all the same, and hold what was looked for. One that has gone holds nothing.
  var hidesContent: Bool {
    if case .system(_, _, .notFound) = self { return false }
    return !isDamage
  }
}

/// Runs system calls and says on which file of the store they failed.
func onFile<Result: ~Copyable>(
  _ operation: String, _ path: String, _ body: () throws(Errno) -> Result
) throws(StoreError) -> Result {
  do throws(Errno) {
    return try body()
  } catch {
    throw .system(operation: operation, path: path, error)
  }
}

/// Opens a part of the store by its name. A part that is missing, or is something else by now, is damage; a refusal of the
/// system is not.
func openingPart<Result: ~Copyable>(
  _ path: String, isFolder: Bool = false, to operation: String = "open", _ body: () throws(Errno) -> Result
) throws(StoreError) -> Result {
  do throws(Errno) {
    return try body()
  } catch {
    switch error {
    case .notFound: throw .damaged(file: path, reason: "it is missing")
    case .notDirectory where isFolder, .loop where isFolder: throw .damaged(file: path, reason: "it is not a folder")
    case .isDirectory, .loop, .invalid, .noDevice: throw .damaged(file: path, reason: "it is not a file")
    default: throw .system(operation: operation, path: path, error)
    }
  }
}

/// Takes a lock, whose file is created when missing. Throws `.locked` when the time ran out, `.cancelled` when the wait was
/// ended.
func lockFile(
  _ name: [UInt8], in root: borrowing Descriptor, _ mode: LockMode, waiting wait: LockWait
) throws(StoreError) -> FileLock {
  let lock = try openingPart(String(decoding: name, as: UTF8.self), to: "lock") { () throws(Errno) in
    try FileLock.acquire(name, in: root, mode, waiting: wait)
  }
  guard let lock else {
    if wait.isCancelled() { throw .cancelled }
    throw .locked(by: FileLock.holder(of: name, in: root))
  }
  return lock
}
