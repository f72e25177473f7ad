// A folder and its store, opened. Operations.swift holds what can be done with them.

internal import MementoStore
internal import MementoSystem

/// A folder with its store.
public final class Repository: Sendable {
  /// The folder whose states are kept, as an absolute path. It may be missing or not usable: see `isAttached`.
  public let folder: BytePath
  /// The store, as an absolute path.
  public let storePath: BytePath
  /// Notes for the user on how the store was found, such as stores that were passed over. Paths are absolute.
  public let notes: [Problem]

  let access: FolderAccess
  let store: Store
  /// What the config of the store says about the folder, and below it that of the user.
  let folderConfig: FolderConfig
  /// The config of the user, as it was when the repository was opened.
  let userConfig: ConfigFile?
  /// What is kept about the folder.
  let worktree: WorktreeStorage
  let storeIdentity: FileIdentity
  /// The user id of the store's owner.
  let storeOwner: UInt32
  let lockWait: Double
  /// The monitor for waits in operations that have no monitor of their own.
  let monitor: any Monitor
  let dates: DateReader
  /// Measures how long a save takes, in nanoseconds.
  let upkeepClock: @Sendable () -> UInt64
  let cloning: FileCloning
  let notice: @Sendable (Notice) -> Void

  init(
    folder: BytePath, storePath: BytePath, access: FolderAccess, store: Store, notes: [Problem], options: OpenOptions
  ) throws(RepositoryError) {
    self.folder = folder
    self.storePath = storePath
    self.access = access
    self.store = store
    folderConfig = FolderConfig(store.config, below: options.userConfig)
    userConfig = options.userConfig
    self.notes = notes
    worktree = try translating { () throws(StoreError) in
      try WorktreeStorage(in: store.folder, store.healed, of: store.refs.fork)
    }
    lockWait = options.lockWait
    monitor = options.monitor
    dates = options.dates
    upkeepClock = options.upkeepClock
    cloning = options.cloning
    notice = options.notice
    let notice = notice
    store.healed.listen { file in
      notice(Notice(.healed, file: file.path, detail: "it is damaged and was read from its parity or its second copy"))
    }
    do throws(Errno) {
      let status = try store.folder.status()
      storeIdentity = status.identity
      storeOwner = status.user
    } catch {
      throw RepositoryError(.system, "cannot read the store: \(error)", systemError: error.code)
    }
  }
}
