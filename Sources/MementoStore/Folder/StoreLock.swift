// The locks that a command holds. There are two: one keeps packs from being removed, the other keeps the folder from
// being changed. So a command waits only for commands that conflict with it: a restore can run beside `verify`, but not
// beside a save.

package import MementoSystem

/// What a command does with the store, which decides the locks that it takes. The order is always: packs, folder,
/// `refs.lock`.
package protocol StoreUse: Sendable {
  /// Shared for commands that need packs to stay, exclusive for commands that remove packs.
  static var packs: LockMode { get }
  /// Shared for commands that read the whole folder, exclusive for commands that change it, nil for all others.
  static var folder: LockMode? { get }
}

extension StoreUse {
  /// The mode in which the single lock of older versions is taken.
  static var mode: LockMode { packs == .exclusive || folder == .exclusive ? .exclusive : .shared }
}

/// verify, a restore to another place, values and names: packs must stay.
package enum UsesPacks: StoreUse {
  package static let packs = LockMode.shared
  package static let folder: LockMode? = nil
}

/// A save of the folder: packs must stay, and nobody may restore meanwhile.
package enum ReadsFolder: StoreUse {
  package static let packs = LockMode.shared
  package static let folder: LockMode? = .shared
}

/// A restore in place: packs must stay, and nobody may save or restore meanwhile.
package enum ChangesFolder: StoreUse {
  package static let packs = LockMode.shared
  package static let folder: LockMode? = .exclusive
}

/// gc and repair: nobody else may work with the store.
package enum RemovesPacks: StoreUse {
  package static let packs = LockMode.exclusive
  package static let folder: LockMode? = .exclusive
}

/// The locks of one command. They are released when this value goes. An operation takes it as a parameter, which proves
/// that the locks are held.
package struct StoreLock<Use: StoreUse>: ~Copyable, Sendable {
  private let folder: StoreFolder
  private let files: [(name: [UInt8], identity: FileIdentity)]
  private let first: FileLock
  private let second: FileLock?

  /// Holds the lock of the file `name`. Throws when the file cannot be identified.
  init(_ folder: StoreFolder, _ name: [UInt8], _ lock: consuming FileLock) throws(StoreError) {
    files = [(name, try StoreLock.identity(of: lock, name))]
    self.folder = folder
    first = consume lock
    second = nil
  }

  /// Holds both locks. `folderName`: the file of the second. Throws when one of the files cannot be identified.
  init(
    _ folder: StoreFolder, packs: consuming FileLock, folder folderLock: consuming FileLock, named folderName: [UInt8]
  ) throws(StoreError) {
    files = [
      (StoreFolder.packsLockName, try StoreLock.identity(of: packs, StoreFolder.packsLockName)),
      (folderName, try StoreLock.identity(of: folderLock, folderName)),
    ]
    self.folder = folder
    first = consume packs
    second = consume folderLock
  }

  /// Throws when the file of a lock has been removed or replaced. Such a lock keeps nobody out, so the command must not
  /// remove or rely on anything any more.
  package func check() throws(StoreError) {
    for (name, identity) in files {
      let path = String(decoding: name, as: UTF8.self)
      let now = try onFile("lock", path) { () throws(Errno) in try folder.root.status(of: name).identity }
      if now != identity { throw .system(operation: "lock", path: path, .stale) }
    }
  }

  private static func identity(
    of lock: borrowing FileLock, _ name: [UInt8]
  ) throws(StoreError) -> FileIdentity {
    do throws(Errno) {
      return try lock.identity()
    } catch {
      throw .system(operation: "lock", path: String(decoding: name, as: UTF8.self), error)
    }
  }
}

/// The locks on a store that is being made, or that cannot be opened yet. They keep everybody else out.
package struct MakingLock: ~Copyable, Sendable {
  private let first: FileLock
  private let second: FileLock?

  init(_ first: consuming FileLock, _ second: consuming FileLock? = nil) {
    self.first = first
    self.second = second
  }
}
