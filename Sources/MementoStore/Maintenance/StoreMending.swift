// Puts back the parts of a store without which it cannot be opened: `config` and its folders. This comes before a repair. What is in the way is put aside, nothing is removed. A kill leaves the store no worse.

package import MementoSystem

package enum StoreMending {
  private static let folders = [
    StoreFolder.packsName, StoreFolder.indexName, StoreFolder.cacheName, StoreFolder.temporaryName,
    StoreFolder.statesName, StoreFolder.backupName, Array("rescue".utf8),
  ]
  private static let files = [
    StoreFolder.refsName, StoreFolder.previousRefsName, StoreFolder.refsLockName, StoreFolder.journalName,
    Array("rules".utf8), Array(".gitignore".utf8),
  ]

  /// Before the locks can be taken: something else in their place has kept everybody out.
  package static func freeLocks(in root: borrowing Descriptor) throws(StoreError) -> [MendedPart] {
    try clear(StoreFolder.damagedName, in: root, isFolder: true, aside: false)
      + clear(StoreFolder.packsLockName, in: root, isFolder: false)
      + clear(StoreFolder.folderLockName, in: root, isFolder: false)
  }

  /// `isInsideFolder`: the store lies in the folder that it belongs to. If not, only `config` says which folder that is.
  package static func run(
    in root: borrowing Descriptor, isInsideFolder: Bool, holding lock: borrowing MakingLock
  ) throws(StoreError) -> [MendedPart] {
    let config = try mendConfig(root, isInsideFolder: isInsideFolder)
    var mended: [MendedPart] = []
    for name in folders { mended += try clear(name, in: root, isFolder: true) }
    for name in files { mended += try clear(name, in: root, isFolder: false) }
    // The others are made by whoever needs them.
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

  /// Puts a name aside that is there and not what it should be. `aside`: into `damaged/`; otherwise it is renamed.
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
      try SetAside(in: root).move(name, from: root, path)
    } else {
      try onFile("move", path) { () throws(Errno) in
        try root.rename(name, to: name + Array(".\(Clock.now().seconds)".utf8), in: root, .noReplace)
      }
    }
    return [MendedPart(path: isFolder ? path + "/" : path, source: .empty)]
  }

  private static func mendConfig(
    _ root: borrowing Descriptor, isInsideFolder: Bool
  ) throws(StoreError) -> [MendedPart] {
    do throws(StoreError) {
      // A value that is not understood is for its writer to mend.
      _ = try Config(Store.configBytes(in: root))
      return []
    } catch {
      guard case .damaged = error else { throw error }
    }
    var bytes = Config().encoded()
    var source = MendedPart.Source.standard
    if let copy = try StoreBackup.config(in: root) {
      _ = try Config(copy)
      (bytes, source) = (copy, .backup)
    } else if !isInsideFolder {
      throw .damaged(
        file: "config", reason: "it is lost with its second copy, and nothing else says which folder the store is of")
    }
    try SetAside(in: root).keep(StoreFolder.configName, from: root, "config")
    try onFile("write", "config") { () throws(Errno) in
      // Beside `config`, since tmp/ may be missing. Whoever has the lock is alone: what is left of this name is of a process
      // that was killed. If it cannot be removed, making the file fails.
      let aside = Array("config.new".utf8)
      root.removeUnneeded(aside)
      let file = try TemporaryFile(making: aside, in: SharedDescriptor(root.duplicate()), ownedLike: root)
      try file.write(bytes)
      try file.place(as: StoreFolder.configName, in: root, durable: true)
    }
    return [MendedPart(path: "config", source: source)]
  }
}
