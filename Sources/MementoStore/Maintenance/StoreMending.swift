// Restores the parts of a store without which it cannot be opened: `config` and its folders. This comes before a
// repair. Whatever is in the way is moved or renamed; nothing is removed. A kill leaves the store no worse than before.

package import MementoSystem

/// Makes a damaged store openable again.
package enum StoreMending {
  private static let folders = [
    StoreFolder.packsName, StoreFolder.indexName, StoreFolder.cacheName, StoreFolder.temporaryName,
    StoreFolder.statesName, StoreFolder.backupName, Array("rescue".utf8),
  ]
  private static let files = [
    StoreFolder.refsName, StoreFolder.previousRefsName, StoreFolder.refsLockName, StoreFolder.journalName,
    Array("rules".utf8), Array(".gitignore".utf8),
  ]

  /// Renames whatever is in the place of a lock file, or of `damaged/`, and is not what should be there: the locks
  /// cannot be taken otherwise. Returns what it renamed.
  package static func freeLocks(in root: borrowing Descriptor) throws(StoreError) -> [MendedPart] {
    try clear(StoreFolder.damagedName, in: root, isFolder: true, aside: false)
      + clear(StoreFolder.packsLockName, in: root, isFolder: false)
      + clear(StoreFolder.folderLockName, in: root, isFolder: false) + freeLocksOfForks(in: root)
  }

  private static func freeLocksOfForks(in root: borrowing Descriptor) throws(StoreError) -> [MendedPart] {
    let prefix = StoreFolder.folderLockName + Array("-".utf8)
    let names = try onFile("read", ".") { () throws(Errno) in
      let listing = try DirectoryListing(reading: root.open(Array(".".utf8), .directory))
      return (0..<listing.count).map { listing.name(at: $0) }.filter { name in
        name.starts(with: prefix) && ForkID(String(decoding: name.dropFirst(prefix.count), as: UTF8.self)) != nil
      }
    }
    var mended: [MendedPart] = []
    for name in names { mended += try clear(name, in: root, isFolder: false) }
    return mended
  }

  /// Restores `config` and the folders, and returns what it restored. `isInsideFolder`: whether the store lies in the
  /// folder that it saves; if not, only `config` says which folder that is. Throws when `config` is lost in such a
  /// store, or is of a newer version.
  package static func run(
    in root: borrowing Descriptor, isInsideFolder: Bool, holding lock: borrowing MakingLock
  ) throws(StoreError) -> [MendedPart] {
    let config = try mendConfig(root, isInsideFolder: isInsideFolder)
    var mended: [MendedPart] = []
    for name in folders { mended += try clear(name, in: root, isFolder: true) }
    for name in files { mended += try clear(name, in: root, isFolder: false) }
    let mark = try clear(UnsyncedMark.name, in: root, isFolder: false)
    if !mark.isEmpty {
      // A mark that is not understood: all packs are read before anything relies on them.
      try onFile("write", "unsynced") { () throws(Errno) in
        try place([UInt8](), as: UnsyncedMark.name, by: Array("unsynced.new".utf8), in: root)
      }
    }
    mended += mark
    // The commands that need the other folders make them.
    let packs = try onFile("make", "packs") { () throws(Errno) -> [MendedPart] in
      do throws(Errno) {
        _ = try root.makeOwnedDirectory(StoreFolder.packsName)
      } catch {
        if error == .exists { return [] }
        throw error
      }
      try root.flushDirectory()
      return [MendedPart(path: "packs/", source: .empty)]
    }
    for part in packs where !mended.contains(part) { mended.append(part) }
    return config + mended
  }

  /// Moves something aside that is not the file or folder that it should be: into `damaged/`, or to another name when
  /// `aside` is false. Returns what it moved.
  private static func clear(
    _ name: [UInt8], in root: borrowing Descriptor, isFolder: Bool, aside: Bool = true
  ) throws(StoreError) -> [MendedPart] {
    let path = String(decoding: name, as: UTF8.self)
    let isRight = try onFile("read", path) { () throws(Errno) in
      do throws(Errno) {
        let status = try root.status(of: name)
        return isFolder ? status.isDirectory : status.isRegular
      } catch {
        if error == .notFound { return true }
        throw error
      }
    }
    if isRight { return [] }
    if aside {
      try Quarantine(in: root).move(name, from: root, path)
    } else {
      try onFile("move", path) { () throws(Errno) in
        try root.rename(name, to: name + Array(".\(Clock.now().seconds)".utf8), in: root, .noReplace)
      }
    }
    return [MendedPart(path: isFolder ? path + "/" : path, source: .empty)]
  }

  /// Whether there is a config that can be read. A value that is not understood is no damage: the user has to correct it.
  private static func isUnderstood(in root: borrowing Descriptor) throws(StoreError) -> Bool {
    do throws(StoreError) {
      _ = try Config(Store.configBytes(in: root))
      return true
    } catch {
      guard case .damaged = error else { throw error }
      return false
    }
  }

  private static func mendConfig(
    _ root: borrowing Descriptor, isInsideFolder: Bool
  ) throws(StoreError) -> [MendedPart] {
    // What cannot be read is compared with nothing.
    let now = try? Store.configBytes(in: root)
    let hasRotted = StoreBackup.beforeRot(StoreFolder.configName, in: root, now: now) != nil
    // A config that has rotted may look like that of a later version.
    if !hasRotted, try isUnderstood(in: root) { return [] }
    var bytes = Config().encoded()
    var source = MendedPart.Source.standard
    if let copy = try StoreBackup.copy(of: StoreFolder.configName, in: root) {
      _ = try Config(copy)
      (bytes, source) = (copy, .backup)
    } else if !isInsideFolder {
      throw .damaged(
        file: "config", reason: "it is lost with its second copy, and nothing else says which folder the store is of")
    }
    try Quarantine(in: root).keep(StoreFolder.configName, from: root, "config")
    try onFile("write", "config") { () throws(Errno) in
      try place(bytes, as: StoreFolder.configName, by: Array("config.new".utf8), in: root)
    }
    return [MendedPart(path: "config", source: source)]
  }

  /// Writes a file of the store. The new file is made beside it, since tmp/ may be missing. This process is alone in the
  /// store, so an old file of the name `aside` was left by a process that was killed. If it cannot be removed, making the
  /// new file fails.
  private static func place(
    _ bytes: [UInt8], as name: [UInt8], by aside: [UInt8], in root: borrowing Descriptor
  ) throws(Errno) {
    root.removeUnneeded(aside)
    let file = try TemporaryFile(making: aside, in: SharedDescriptor(root.duplicate()), ownedLike: root)
    try file.write(bytes)
    try file.place(as: name, in: root, durable: true)
  }
}
