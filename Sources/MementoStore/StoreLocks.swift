// Takes the locks of a store: `packs.lock` and `folder.lock`.
//
// Older versions have a single lock for both, the file `lock`. As long as that file is there, this version uses it too,
// in place of both, so the two versions keep each other out.
//
// The first command that changes something upgrades the store. It takes `lock` exclusively, so nobody else works with
// the store. It writes the feature into `config`, so older versions refuse the store from then on. Then it puts a
// folder in the place of `lock`. A process of an older version that has read `config` before cannot lock a folder. A
// command that only reads does not upgrade: it uses `lock` if that is a file.

package import MementoSystem
internal import Synchronization

/// The locks of an open store.
package final class StoreLocks: Sendable {
  /// How often taking or retiring the old lock is tried before this gives up.
  private static let attempts = 100

  private let folder: StoreFolder
  /// The lock of the folder that is worked in: each fork has its own.
  private let folderLock: [UInt8]
  /// Whether `config` demands two locks, as far as this process knows; and the bytes of `config`, if this process has
  /// read it again.
  private let config: Mutex<(hasTwoLocks: Bool, bytes: [UInt8]?)>

  package init(_ folder: StoreFolder, _ config: Config, fork: ForkID? = nil) {
    self.folder = folder
    folderLock = ForkID.name(StoreFolder.folderLockName, of: fork)
    self.config = Mutex((config.features.contains(.twoLocks), nil))
  }

  private var hasTwoLocks: Bool { config.withLock { $0.hasTwoLocks } }

  /// The bytes of `config` after the upgrade. Nil when this process has not read it again since the store was opened.
  var upgradedConfig: [UInt8]? { config.withLock { $0.bytes } }

  // MARK: Taking

  /// Takes the locks for a use. `upgrading`: false for a command that only reads. Throws `.locked` when the time runs
  /// out and `.cancelled` when the wait is cancelled.
  package func take<Use: StoreUse>(
    _ use: Use.Type, upgrading: Bool, waiting wait: LockWait
  ) throws(StoreError) -> StoreLock<Use> {
    let wait = wait.untilEnd()
    if let old = try upgrading ? upgrade(Use.mode, wait) : oldLock(Use.mode, wait) {
      return try StoreLock(folder, StoreFolder.lockName, old)
    }
    let packs = try lockFile(StoreFolder.packsLockName, in: folder.root, Use.packs, waiting: wait())
    guard let mode = Use.folder else { return try StoreLock(folder, StoreFolder.packsLockName, packs) }
    let second = try lockFile(folderLock, in: folder.root, mode, waiting: wait())
    return try StoreLock(folder, packs: packs, folder: second, named: folderLock)
  }

  /// Takes the locks of a store that is being made, or that cannot be opened yet. Throws as `take` does.
  package static func takeForMaking(
    in root: borrowing Descriptor, waiting wait: LockWait
  ) throws(StoreError) -> MakingLock {
    let wait = wait.untilEnd()
    for _ in 0..<attempts {
      if try OldLock.look(in: root) == .retired {
        let packs = try lockFile(StoreFolder.packsLockName, in: root, .exclusive, waiting: wait())
        return MakingLock(packs, try lockFile(StoreFolder.folderLockName, in: root, .exclusive, waiting: wait()))
      }
      if let old = try OldLock.take(.exclusive, in: root, waiting: wait()) { return MakingLock(old) }
    }
    throw .system(operation: "lock", path: "lock", .stale)
  }

  /// Takes the single lock of older versions. Nil when it is retired.
  private func oldLock(_ mode: LockMode, _ wait: () -> LockWait) throws(StoreError) -> FileLock? {
    if hasTwoLocks, try OldLock.look(in: folder.root) == .missing { return nil }
    return try OldLock.take(mode, in: folder.root, waiting: wait())
  }

  // MARK: Upgrading

  /// Upgrades the store, if that is still to be done and nobody works with it. If others hold the old lock now, takes
  /// it too and returns it: this command then works as older versions do, and a later one upgrades.
  private func upgrade(_ mode: LockMode, _ wait: () -> LockWait) throws(StoreError) -> FileLock? {
    // Others may be upgrading at the same time. If one of them is faster, look again.
    for _ in 0..<StoreLocks.attempts {
      switch try OldLock.look(in: folder.root) {
      case .retired:
        try requireTwoLocks()
        return nil
      case .missing where hasTwoLocks:
        try OldLock.makeFolder(in: folder.root)
        continue
      case .missing, .file: break
      }
      do throws(StoreError) {
        // An exclusive use has to wait for all others anyway.
        guard let lock = try OldLock.take(.exclusive, in: folder.root, waiting: mode == .shared ? 0 : wait()) else {
          continue
        }
        try upgrade(holding: lock)
      } catch {
        guard case .locked = error, mode == .shared else { throw error }
        if let lock = try OldLock.take(.shared, in: folder.root, waiting: wait()) { return lock }
      }
    }
    // The file system reports the lock as present and as missing in turns.
    throw .system(operation: "lock", path: "lock", .stale)
  }

  /// `lock`: the old one, held alone.
  private func upgrade(holding lock: borrowing FileLock) throws(StoreError) {
    try requireTwoLocks()
    try OldLock.replace(in: folder.root)
  }

  /// From now on `config` demands two locks. It is on the medium before this returns.
  private func requireTwoLocks() throws(StoreError) {
    if hasTwoLocks { return }
    var bytes = try Store.healedConfig(in: folder.root).bytes
    if try !Config(bytes).features.contains(.twoLocks) {
      bytes = ConfigFeature.twoLocks.added(to: bytes)
      try folder.replaceConfig(with: bytes)
    }
    config.withLock { $0 = (true, bytes) }
  }
}

/// The state of `lock`, the single lock of older versions.
enum OldLock {
  case missing
  case file
  /// Something that is not a file has its name, so no version can lock it.
  case retired

  /// The state of `lock` now.
  static func look(in root: borrowing Descriptor) throws(StoreError) -> OldLock {
    try onFile("lock", "lock") { () throws(Errno) in
      do throws(Errno) {
        return try root.status(of: StoreFolder.lockName).isRegular ? .file : .retired
      } catch {
        if error == .notFound { return .missing }
        throw error
      }
    }
  }

  /// Takes the lock. Nil when it is retired.
  static func take(
    _ mode: LockMode, in root: borrowing Descriptor, waiting wait: LockWait
  ) throws(StoreError) -> FileLock? {
    if try look(in: root) == .retired { return nil }
    do throws(StoreError) {
      return try lockFile(StoreFolder.lockName, in: root, mode, waiting: wait)
    } catch {
      // Another process may have retired it during the wait.
      if error.isDamage, try look(in: root) == .retired { return nil }
      throw error
    }
  }

  /// Puts a folder in the place of `lock`. Makes the files of the two new locks, for users who may use the store but
  /// not write into it. The caller holds `lock` exclusively, and `config` demands two locks. After a kill, `lock` is
  /// still a file or is missing, and the next command does this again.
  static func replace(in root: borrowing Descriptor) throws(StoreError) {
    try onFile("lock", "lock") { () throws(Errno) in
      let permissions = try root.statusIfPresent(of: StoreFolder.lockName)?.permissions ?? 0o600
      for name in [StoreFolder.packsLockName, StoreFolder.folderLockName] {
        do throws(Errno) {
          try root.createOwned(name).setPermissions(permissions)
        } catch {
          if error != .exists { throw error }
        }
      }
      do throws(Errno) {
        try root.removeFile(StoreFolder.lockName)
      } catch {
        if error != .notFound { throw error }
      }
    }
    try makeFolder(in: root)
  }

  /// Makes the folder `lock`. Does nothing when an older version has made its file first.
  static func makeFolder(in root: borrowing Descriptor) throws(StoreError) {
    try onFile("lock", "lock") { () throws(Errno) in
      do throws(Errno) {
        _ = try root.makeOwnedDirectory(StoreFolder.lockName)
      } catch {
        if error != .exists { throw error }
      }
    }
  }
}

extension LockWait {
  /// Returns a function that gives what is left of the wait, so that waiting for several locks takes no longer than for
  /// one.
  func untilEnd() -> () -> LockWait {
    let end = Clock.monotonicSeconds() + seconds
    return {
      var wait = self
      wait.seconds = max(0, end - Clock.monotonicSeconds())
      return wait
    }
  }
}
