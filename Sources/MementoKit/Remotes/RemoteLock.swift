// One operation of a store at a time works with a remote.

internal import MementoStore
internal import MementoSystem

/// Held while an operation works with a remote, so that two of them do not write down what they have seen in turns.
struct RemoteLock: ~Copyable {
  private let lock: FileLock

  init(_ repository: Repository, _ name: String, _ monitor: (any Monitor)? = nil) throws(RepositoryError) {
    let folder = try RemoteFolder(repository).make(name)
    let found: FileLock?
    do throws(Errno) {
      found = try FileLock.acquire(Array("lock".utf8), in: folder, .exclusive, waiting: repository.wait(monitor))
    } catch {
      throw RepositoryError(.system, "cannot lock .memento/remotes/\(name): \(error)", systemError: error.code)
    }
    guard let found else {
      if monitor?.isCancelled == true { throw RepositoryError.cancelled }
      throw RepositoryError(.locked, "another process is using the remote \(name)")
    }
    lock = found
  }

  /// Runs `body` while the lock is held.
  borrowing func during<Result>(_ body: () throws(RepositoryError) -> Result) throws(RepositoryError) -> Result {
    try body()
  }
}

extension Repository {
  /// Reaches a remote that was added, asks it for its names, and runs `body`. No other operation of this store works with the
  /// remote meanwhile. `phase`: what the monitor hears. `toleratesLoss`, `meanwhile`: as of `RemoteView`. Nothing is made for a
  /// remote that was not added. Throws `.noSuchRemote`, and what `RemoteView` throws.
  func reaching<Result>(
    _ remote: String, _ phase: Phase?, _ access: RemoteAccess, _ monitor: any Monitor, toleratesLoss: Bool = false,
    meanwhile: () -> Void = {}, _ body: (RemoteView) throws(RepositoryError) -> Result
  ) throws(RepositoryError) -> Result {
    _ = try RemoteFolder(self).entry(remote)
    let lock = try RemoteLock(self, remote, monitor)
    return try lock.during { () throws(RepositoryError) in
      if let phase { monitor.begin(phase) }
      return try body(
        try RemoteView(self, remote, access, toleratesLoss: toleratesLoss, monitor: monitor, meanwhile: meanwhile))
    }
  }
}
