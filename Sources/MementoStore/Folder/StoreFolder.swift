// The open `.memento/` and its folders. They are held by descriptor, so they stay the same folders even when somebody
// moves or replaces a path.

package import MementoSystem
internal import Synchronization

/// The layout of the store on disk.
package final class StoreFolder: Sendable {
  let root: Descriptor
  let packs: Descriptor
  let index: Descriptor
  /// `tmp/`, which also holds the staging folders.
  let temporary: SharedDescriptor
  private let wantsDurability: Bool
  private let flushing = Atomic<Int>(0)
  /// The lock on the mark `unsynced`, held while this process puts something into the store without flushing it.
  let unsynced = Mutex<UnsyncedLock?>(nil)
  /// The flush that the names in `packs/` still need.
  private let packNames = DeferredFlush()
  private let counter = Atomic<UInt64>(0)

  package static let configName = Array("config".utf8)
  package static let refsName = Array("refs".utf8)
  package static let previousRefsName = Array("refs.prev".utf8)
  package static let refsLockName = Array("refs.lock".utf8)
  /// The name of the single lock of older versions.
  package static let lockName = Array("lock".utf8)
  package static let packsLockName = Array("packs.lock".utf8)
  package static let folderLockName = Array("folder.lock".utf8)
  package static let journalName = Array("journal".utf8)
  static let packsName = Array("packs".utf8)
  static let indexName = Array("index".utf8)
  package static let cacheName = Array("cache".utf8)
  package static let temporaryName = Array("tmp".utf8)
  package static let damagedName = Array("damaged".utf8)
  package static let backupName = Array("backup".utf8)
  static let statesName = Array("states".utf8)
  package static let parityName = Array("parity".utf8)
  static let trashName = Array("trash".utf8)

  /// Opens the folders of a store. Makes `index` and `tmp` if they are missing: the store is whole without what was in
  /// them. Throws `.damaged` when `packs` is missing.
  package init(adopting root: consuming Descriptor, durable: Bool = true) throws(StoreError) {
    packs = try openingPart("packs", isFolder: true) { () throws(Errno) in
      try root.open(StoreFolder.packsName, .directory)
    }
    index = try StoreFolder.derived(StoreFolder.indexName, in: root)
    temporary = SharedDescriptor(try StoreFolder.derived(StoreFolder.temporaryName, in: root))
    self.root = root
    wantsDurability = durable
  }

  /// Whether this process flushes what it writes. False with `--no-sync`: the store then survives a kill, but perhaps
  /// not a power cut.
  package var isDurable: Bool { wantsDurability || flushing.load(ordering: .relaxed) > 0 }

  /// Turns flushing on, even with `--no-sync`, and off again. For commands that remove files because they have written
  /// others: those must be durable first. Each call with true needs one with false.
  package func flushesAlways(_ isOn: Bool) {
    flushing.wrappingAdd(isOn ? 1 : -1, ordering: .relaxed)
  }

  /// Opens a folder in `root`, and makes it if it is missing. With `durable`, the name of a new folder is on the medium
  /// when this returns.
  static func openOrMake(
    _ name: [UInt8], in root: borrowing Descriptor, durable: Bool
  ) throws(Errno) -> Descriptor {
    do throws(Errno) {
      return try root.open(name, .directory)
    } catch {
      guard error == .notFound else { throw error }
      let folder = try root.makeOwnedDirectory(name)
      if durable { try root.flushDirectory() }
      return folder
    }
  }

  private static func derived(_ name: [UInt8], in root: borrowing Descriptor) throws(StoreError) -> Descriptor {
    try openingPart(String(decoding: name, as: UTF8.self), isFolder: true) { () throws(Errno) in
      try openOrMake(name, in: root, durable: false)
    }
  }

  /// Opens a folder of the store whose content can be made again from the rest. Makes the folder if it is missing.
  package func openDerived(_ name: [UInt8]) throws(StoreError) -> Descriptor {
    try StoreFolder.derived(name, in: root)
  }

  /// The owner and identity of the folder.
  package func status() throws(Errno) -> FileStatus {
    try root.status()
  }

  /// Opens a folder of the store. Throws `.notFound` when there is none.
  package func open(_ name: [UInt8]) throws(Errno) -> Descriptor {
    try root.open(name, .directory)
  }

  /// Opens a folder of the store, and makes it if it is missing. The name of a new folder is durable, except with
  /// `--no-sync`.
  package func openOrMake(_ name: [UInt8]) throws(Errno) -> Descriptor {
    try StoreFolder.openOrMake(name, in: root, durable: isDurable)
  }

  /// Makes the folders of a new, empty store in `root`.
  package static func make(in root: borrowing Descriptor) throws(Errno) {
    for name in [packsName, indexName, cacheName, temporaryName] {
      do throws(Errno) {
        _ = try root.makeOwnedDirectory(name)
      } catch {
        if error != .exists { throw error }
      }
    }
  }

  /// Makes a file in tmp/ and gives it to the owner of the store. Its name begins with `kind`.
  package func makeTemporary(_ kind: String) throws(Errno) -> TemporaryFile {
    try TemporaryFile(making: temporaryName(kind), in: temporary, ownedLike: root)
  }

  /// A name in tmp/ that no other process uses. It begins with `kind`.
  package func temporaryName(_ kind: String) -> [UInt8] {
    let number = counter.wrappingAdd(1, ordering: .relaxed).newValue
    let time = Clock.now()
    return Array(
      "\(kind)-\(Host.processID)-\(time.seconds)\(time.nanoseconds)-\(number)".utf8)
  }

  /// Notes that this process is going to rely on the names of packs: its own, and those that other processes may have
  /// put in place just now.
  func relyOnPackNames() {
    if isDurable { packNames.add() }
  }

  /// Makes durable the names of packs that this process relies on.
  func flushPackNames() throws(Errno) {
    if isDurable { try packNames.flush(packs) }
  }

  /// Removes what dead processes left in tmp/: files that no process holds locked, and staging folders that were never
  /// used. A staging folder with a list stays, since its files must be examined first; so do the folders `kept`,
  /// which pending restores still need. Anything that cannot be examined or removed stays for the next sweep.
  package func removeAbandoned(keeping kept: Set<[UInt8]> = []) {
    do throws(Errno) {
      let listing = try listTemporary()
      for index in 0..<listing.count where !kept.contains(listing.name(at: index)) {
        try? removeIfUnused(listing.name(at: index))  // it stays, as said above
      }
    } catch {
      // All of it stays.
    }
  }

  private func listTemporary() throws(Errno) -> DirectoryListing {
    // Opened anew: reading moves the position of a descriptor.
    try DirectoryListing(reading: root.open(StoreFolder.temporaryName, .directory))
  }

  private func removeIfUnused(_ name: [UInt8]) throws(Errno) {
    let status = try temporary.descriptor.status(of: name)
    guard status.isDirectory else {
      if try isUnused(name, status) { try temporary.descriptor.removeFile(name) }
      return
    }
    guard name.starts(with: StagedName.folderPrefix.utf8) else { return }
    let staging = try temporary.descriptor.open(name, .directory)
    // What is in a folder with a list must be looked at first.
    if try staging.statusIfPresent(of: StagedName.list) == nil {
      try temporary.descriptor.removeStaging(staging, named: name)
    }
  }

  /// Whether nobody holds a file in tmp/ locked. Throws when that cannot be found out.
  private func isUnused(_ name: [UInt8], _ status: FileStatus) throws(Errno) -> Bool {
    if !status.isRegular { return true }
    return try !temporary.descriptor.open(name, .read).isLockedByOther()
  }

  /// Writes a list into `folderName`, which is made if it is missing. Returns the name of the file, which is the
  /// SHA-256 of `bytes`. The file is durable when this returns, except with `--no-sync`. `kind`: the prefix of its
  /// temporary name.
  func writeList(_ bytes: [UInt8], in folderName: [UInt8], _ kind: String) throws(Errno) -> ObjectID {
    let id = ObjectID(hashing: bytes)
    let lists = try openOrMake(folderName)
    try beginUnsynced()
    let file = try makeTemporary(kind)
    try file.write(bytes)
    try file.place(as: Array(id.description.utf8), in: lists, durable: isDurable)
    return id
  }

  /// Moves a damaged file of the store to `damaged/`, durably. For a file from which nothing can be recovered.
  package func setAside(_ name: [UInt8], _ path: String) throws(StoreError) {
    try Quarantine(self).move(name, from: root, path)
  }

  /// Removes the files of the index and the cache, as far as possible, to free space. A later command makes them again
  /// when it finds space for them.
  package func dropDerived() {
    for name in [StoreFolder.cacheName, StoreFolder.indexName] { removeUnneeded(in: name) { _ in true } }
  }

  /// Removes the files of a folder that nothing needs, as far as they can be removed. Those that stay take space and change
  /// no answer; the next call finds them again.
  package func removeUnneeded(in folderName: [UInt8], _ isUnneeded: ([UInt8]) -> Bool) {
    do throws(Errno) {
      let folder = try root.open(folderName, .directory)
      let listing = try DirectoryListing(reading: folder)
      for index in 0..<listing.count where isUnneeded(listing.name(at: index)) {
        folder.removeUnneeded(listing.name(at: index))
      }
    } catch {
      // The folder is not there, or all of it stays.
    }
  }

  /// Whether tmp/ holds anything. False when it cannot be listed: another command sweeps it then.
  package var hasLeftovers: Bool {
    get throws(Errno) { try listTemporary().count > 0 }
  }

  /// Removes the lock of a fork that is forgotten; the caller holds it.
  package func removeFolderLock(of fork: ForkID) {
    root.removeUnneeded(ForkID.name(StoreFolder.folderLockName, of: fork))
  }

  // MARK: Derived files

  /// The content of a file in `cache/`; nil when there is none.
  func contents(ofCache name: [UInt8], limit: Int) throws(Errno) -> [UInt8]? {
    try root.open(StoreFolder.cacheName, .directory).contents(of: name, limit: limit)
  }

  /// Replaces a file in `cache/`, if that is possible, without a flush. `kind`: the prefix of its temporary name.
  func keep(inCache name: [UInt8], _ bytes: [UInt8], _ kind: String) {
    do throws(Errno) {
      let cache = try StoreFolder.openOrMake(StoreFolder.cacheName, in: root, durable: false)
      let file = try makeTemporary(kind)
      try file.write(bytes)
      try file.place(as: name, in: cache)
    } catch {
      // Nothing relies on it.
    }
  }

  // MARK: Beside the store

  /// The content of a file beside the store; nil when there is none. Throws `.rangeError` when it has more than `limit` bytes.
  package func contents(ofFile name: [UInt8], limit: Int) throws(Errno) -> [UInt8]? {
    try root.contents(of: name, limit: limit)
  }

  /// The second copy of a file beside the store, if it is certain that the file has rotted: it has the size and the time of
  /// its copy, and not its bytes. `now`: its bytes; nil when they cannot be read.
  package func copyOfRotten(file name: [UInt8], now: [UInt8]?) -> [UInt8]? {
    StoreBackup.beforeRot(name, in: root, now: now)
  }

  /// The second copy of a file beside the store. Nil when there is none that is whole.
  package func copy(ofFile name: [UInt8]) throws(StoreError) -> [UInt8]? {
    try StoreBackup.copy(of: name, in: root)
  }

  /// Replaces a file beside the store as a whole, and its second copy. `kind`: what its name begins with until then.
  package func replaceFile(_ name: [UInt8], with bytes: [UInt8], _ kind: String) throws(Errno) {
    let file = try makeTemporary(kind)
    try file.write(bytes)
    let modified = try file.file.descriptor.status().modified
    try file.place(as: name, in: root, durable: isDurable)
    StoreBackup(self).keep(bytes, of: name, modified: modified)
  }

  /// Removes a file beside the store, and its second copy; does nothing when there is none.
  package func removeFile(_ name: [UInt8]) throws(Errno) {
    do throws(Errno) {
      try root.removeFile(name)
      StoreBackup(self).forget(name)
    } catch {
      if error != .notFound { throw error }
    }
  }
}
