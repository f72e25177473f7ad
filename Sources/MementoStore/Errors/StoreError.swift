// The errors of the store. They hold facts only: the command line turns them into sentences.

package import MementoSystem

/// Everything that can go wrong in the store.
package enum StoreError: Error, Sendable {
  /// A system call failed on a file of the store.
  case system(operation: String, path: String, Errno)
  /// A file of the store is not as it was written, or was never valid.
  case damaged(file: String, reason: String)
  /// No pack holds a blob that something refers to.
  case missing(ObjectID)
  /// The store was made by a later version of this program.
  case newerFormat(found: String)
  /// A value in `config` is not understood.
  case badConfig(ConfigFault)
  /// Another process holds the lock.
  case locked(by: LockHolder?)
  case cancelled
  /// `refs` know no such fork: it was forgotten, or they are older than it.
  case unknownFork(ForkID)

  /// What errors name for a file that this process is writing.
  static let unfinished = "tmp/"

  /// Whether the error means that a file of the store is damaged or missing. False when the system only refuses
  /// something, such as permission or memory. False also for what this process has just written: nothing may go on as if
  /// that were an old damage.
  package var isDamage: Bool {
    switch self {
    case .damaged(StoreError.unfinished, _), .system(_, StoreError.unfinished, _): false
    case .damaged, .missing: true
    case .system(_, _, let errno): [.input, .invalid, .isDirectory, .loop, .noDevice].contains(errno)
    default: false
    }
  }

  /// Whether there was no room for what was to be written.
  package var isNoSpace: Bool {
    if case .system(_, _, let errno) = self { return errno.isNoSpace }
    return false
  }

  /// Whether the error means that a later version made the file.
  package var isNewer: Bool {
    if case .newerFormat = self { return true }
    return false
  }

  /// Whether a pack that failed with this error may still be whole, and so hold the blob that was looked for. False for
  /// damage, and for a pack that is gone.
  package var hidesContent: Bool {
    if case .system(_, _, .notFound) = self { return false }
    return !isDamage
  }
}

/// Runs `body` and turns its `Errno` into a `.system` error that names the operation and the file of the store.
func onFile<Result: ~Copyable>(
  _ operation: String, _ path: String, _ body: () throws(Errno) -> Result
) throws(StoreError) -> Result {
  do throws(Errno) {
    return try body()
  } catch {
    throw .system(operation: operation, path: path, error)
  }
}

/// Runs `body`, which opens or removes a part of the store. Throws `.damaged` when the part is missing or is not a file; with
/// `isFolder`, when it is missing or is not a folder. Throws `.system` for every other error, since the part may be
/// whole.
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

/// Runs `body`, which opens a folder of the store, or makes it if it is missing. Throws `.damaged` when something else has
/// the name of the folder.
func onFolder<Result: ~Copyable>(
  _ operation: String, _ path: String, _ body: () throws(Errno) -> Result
) throws(StoreError) -> Result {
  do throws(Errno) {
    return try body()
  } catch {
    switch error {
    case .notDirectory, .loop: throw .damaged(file: path, reason: "it is not a folder")
    default: throw .system(operation: operation, path: path, error)
    }
  }
}

/// Takes a lock. Creates its file if it is missing. Throws `.locked` when the time runs out and `.cancelled` when the
/// wait is cancelled.
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
