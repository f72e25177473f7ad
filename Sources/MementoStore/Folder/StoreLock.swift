// The locks that a command holds. There are two: one for packs that must stay, one for a folder that must not change. So a
// command waits only for those that are in its way: a restore goes on beside `verify`, but not beside a save.

package import MementoSystem

/// What a command does, and so which locks it holds. They are taken in this order: packs, folder; `refs.lock` comes after both.
package protocol StoreUse: Sendable {
  /// Shared by whoever relies on packs that stay, exclusive for who removes packs.
  static var packs: LockMode { get }
  /// Shared by whoever reads the folder as a whole, exclusive for who changes it; nil for who does neither.
  static var folder: LockMode? { get }
}

extension StoreUse {
  /// The mode of the one lock that older versions have for both.
  static var mode: LockMode { packs == .exclusive || folder == .exclusive ? .exclusive : .shared }
}

/// verify, a restore to elsewhere, values and names: packs stay.
package enum UsesPacks: StoreUse {
  package static let packs = LockMode.shared
  package static let folder: LockMode? = nil
}

/// A save of the folder: packs stay, and nobody restores meanwhile.
package enum ReadsFolder: StoreUse {
  package static let packs = LockMode.shared
  package static let folder: LockMode? = .shared
}

/// A restore in place: packs stay, and nobody saves or restores meanwhile.
package enum ChangesFolder: StoreUse {
  package static let packs = LockMode.shared
  package static let folder: LockMode? = .exclusive
}

/// gc and repair: nobody else works with the store.
package enum RemovesPacks: StoreUse {
  package static let packs = LockMode.exclusive
  package static let folder: LockMode? = .exclusive
}

/// The locks of one command, released when this goes. An operation takes it as a parameter, which proves that they are held.
package struct StoreLock<Use: StoreUse>: ~Copyable, Sendable {
  private let folder: StoreFolder
  private let files: [(name: [UInt8], identity: FileIdentity)]
  private let first: FileLock
  private let second: FileLock?

  /// Of one file.
  init(_ folder: StoreFolder, _ name: [UInt8], _ lock: consuming FileLock) throws(StoreError) {
    files = [(name, try StoreLock.identity(of: lock, name))]
    self.folder = folder
    first = consume lock
    second = nil
  }

  /// Of both files.
  init(
    _ folder: StoreFolder, packs: consuming FileLock, folder folderLock: consuming FileLock
  ) throws(StoreError) {
    files = [
      (StoreFolder.packsLockName, try StoreLock.identity(of: packs, StoreFolder.packsLockName)),
      (StoreFolder.folderLockName, try StoreLock.identity(of: folderLock, StoreFolder.folderLockName)),
    ]
    self.folder = folder
    first = consume packs
    second = consume folderLock
  }

  /// Throws when somebody has removed or replaced the file of a lock. It keeps nobody out then, so nothing may be removed or
  /// relied upon any more.
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

/// Keeps everybody else out of a store that is being made, or that cannot be opened yet.
package struct MakingLock: ~Copyable, Sendable {
  private let first: FileLock
  private let second: FileLock?

  init(_ first: consuming FileLock, _ second: consuming FileLock? = nil) {
    self.first = first
    self.second = second
  }
}
