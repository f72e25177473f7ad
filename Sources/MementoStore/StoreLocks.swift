// Takes the locks of a store: `packs.lock` and `folder.lock`.
//
// Versions before these have one lock for both, `lock`. As long as `lock` is a file, it stands for both; so a process of such
// a version and one of this version keep each other out. The first command that changes something upgrades the store: it
// holds `lock` exclusively, so that nobody else works with the store, writes the feature into `config`, so that older versions
// refuse the store from then on, and puts a folder in the place of `lock`. A process of an older version that has read `config`
// before cannot lock that. A command that only looks changes nothing, and uses `lock` where it is a file.

package import MementoSystem
internal import Synchronization

package final class StoreLocks: Sendable {
  /// How often the old lock is looked at before that is given up.
  private static let attempts = 100

  private let folder: StoreFolder
  /// Whether `config` demands two locks, as far as this process knows, and its bytes where this process has read it again.
  private let config: Mutex<(hasTwoLocks: Bool, bytes: [UInt8]?)>

  package init(_ folder: StoreFolder, _ config: Config) {
    self.folder = folder
    self.config = Mutex((config.features.contains(.twoLocks), nil))
  }

  private var hasTwoLocks: Bool { config.withLock { $0.hasTwoLocks } }

  /// What `config` is since the upgrade; nil when it is still what it was when the store was opened.
  var upgradedConfig: [UInt8]? { config.withLock { $0.bytes } }

  // MARK: Taking

  /// Takes the locks for a use. `upgrading`: false for a command that only looks. Throws `.locked` when the time has run out.
  package func take<Use: StoreUse>(
    _ use: Use.Type, upgrading: Bool, waiting wait: LockWait
  ) throws(StoreError) -> StoreLock<Use> {
    let wait = wait.untilEnd()
    if let old = try upgrading ? upgrade(Use.mode, wait) : oldLock(Use.mode, wait) {
      return try StoreLock(folder, StoreFolder.lockName, old)
    }
    let packs = try lockFile(StoreFolder.packsLockName, in: folder.root, Use.packs, waiting: wait())
    guard let mode = Use.folder else { return try StoreLock(folder, StoreFolder.packsLockName, packs) }
    let second = try lockFile(StoreFolder.folderLockName, in: folder.root, mode, waiting: wait())
    return try StoreLock(folder, packs: packs, folder: second)
  }

  /// The lock of a store that is being made, or that cannot be opened yet.
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

  /// The one lock of older versions; nil where it stands for nothing any more.
  private func oldLock(_ mode: LockMode, _ wait: () -> LockWait) throws(StoreError) -> FileLock? {
    if hasTwoLocks, try OldLock.look(in: folder.root) == .missing { return nil }
    return try OldLock.take(mode, in: folder.root, waiting: wait())
  }

  // MARK: Upgrading

  /// Upgrades the store where that is still to be done and nobody works with it. Gives the old lock where others use it at
  /// this moment: then this command works as older versions do, and a later one upgrades.
  private func upgrade(_ mode: LockMode, _ wait: () -> LockWait) throws(StoreError) -> FileLock? {
    // Others may be at the same work: who is overtaken looks again.
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
        // An exclusive use waits for everybody anyway.
        guard let lock = try OldLock.take(.exclusive, in: folder.root, waiting: mode == .shared ? 0 : wait()) else {
          continue
        }
        try upgrade(holding: lock)
      } catch {
        guard case .locked = error, mode == .shared else { throw error }
        if let lock = try OldLock.take(.shared, in: folder.root, waiting: wait()) { return lock }
      }
    }
    // A file system that says by turns that it is there and that it is not.
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
    var bytes = try Store.configBytes(in: folder.root)
    if try !Config(bytes).features.contains(.twoLocks) {
      bytes = ConfigFeature.twoLocks.added(to: bytes)
      try onFile("write", "config") { () throws(Errno) in
        let permissions = try folder.root.status(of: StoreFolder.configName).permissions
        let file = try folder.makeTemporary("config")
        try file.file.descriptor.setPermissions(permissions)
        try file.write(bytes)
        try file.place(as: StoreFolder.configName, in: folder.root, durable: true)
      }
    }
    config.withLock { $0 = (true, bytes) }
  }
}

/// `lock`, the one lock of older versions.
enum OldLock {
  case missing
  case file
  /// Something that is no file has its name: no version can lock it.
  case retired

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

  /// Nil where it is retired.
  static func take(
    _ mode: LockMode, in root: borrowing Descriptor, waiting wait: LockWait
  ) throws(StoreError) -> FileLock? {
    if try look(in: root) == .retired { return nil }
    do throws(StoreError) {
      return try lockFile(StoreFolder.lockName, in: root, mode, waiting: wait)
    } catch {
      // It may have been retired during the wait.
      if error.isDamage, try look(in: root) == .retired { return nil }
      throw error
    }
  }

  /// Puts a folder in its place, and makes the files of the two locks for those who may use the store and not write into it.
  /// Before that `config` demands two locks. A kill leaves it a file or missing: then it is done again.
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

  /// An older version may make its file first: the folder is not made then.
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
  /// Gives what is left of the wait, whenever it is asked: several locks are waited for no longer than one.
  func untilEnd() -> () -> LockWait {
    let end = Clock.monotonicSeconds() + seconds
    return {
      var wait = self
      wait.seconds = max(0, end - Clock.monotonicSeconds())
      return wait
    }
  }
}
