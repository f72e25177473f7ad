// The lists of states that are too long for `refs`. They are files in states/. Each is named by the SHA-256 of its
// bytes and never changes.

internal import MementoSystem

struct StateFiles: Sendable {
  private static let folderName = StoreFolder.statesName
  /// The largest list in bytes: 10 million states.
  private static let sizeLimit = 1 << 30

  private let folder: StoreFolder

  init(_ folder: StoreFolder) {
    self.folder = folder
  }

  /// Reads and checks a list. Nil when there is no such file. Throws `.damaged` when it is not valid.
  func read(_ id: ObjectID) throws(StoreError) -> StateList? {
    let name = "states/\(id.short)…"
    let bytes = try openingPart(name) { () throws(Errno) -> [UInt8]? in
      do throws(Errno) {
        let states = try folder.root.open(StateFiles.folderName, .directory)
        return try states.contents(of: Array(id.description.utf8), limit: StateFiles.sizeLimit)
      } catch {
        if error == .notFound { return nil }
        throw error == .notDirectory ? .invalid : error
      }
    }
    guard let bytes else { return nil }
    guard ObjectID(hashing: bytes) == id else { throw .damaged(file: name, reason: "it is not what its name says") }
    do throws(FormatError) {
      return try StateList(bytes)
    } catch {
      throw .damaged(file: name, reason: error.reason)
    }
  }

  /// Writes a list and returns the name of its file. The file is durable when this returns, except with `--no-sync`.
  func write(_ list: StateList) throws(Errno) -> ObjectID {
    try folder.writeList(Array(list.text), in: StateFiles.folderName, "states")
  }

  /// Keeps a damaged list in `damaged/`, if there is one. A new file may then replace it.
  func setAside(_ id: ObjectID) throws(StoreError) {
    let states = try onFolder("write", "states/") { () throws(Errno) in try folder.openOrMake(StateFiles.folderName) }
    try Quarantine(folder).keep(Array(id.description.utf8), from: states, "states")
  }

  /// Removes state lists, and the copies of them, that neither `refs` nor `refs.prev` names. A failure is harmless: the
  /// next call removes them.
  func remove(allBut kept: [ObjectID]) {
    for folderName in [StateFiles.folderName, StoreFolder.backupName] {
      folder.removeUnneeded(in: folderName) { name in ObjectID(name).map { !kept.contains($0) } ?? false }
    }
  }
}

extension StoreBackup {
  /// Writes the copy of the newest `refs`. `modified`: when `refs` were modified; the copy gets the same time, which says
  /// that it is a copy of these. The file is overwritten in place: a new file
  /// for each commit would be slower.
  func keep(refs: [UInt8], modified: Timestamp?, holding turn: borrowing RefsTurn) {
    guard refs.count <= StoreBackup.longestRefs else { return }
    writeIfPossible { (backup) throws(Errno) in
      try backup.createOwnedIfMissing(StoreFolder.refsName)
      var file = try backup.open(StoreFolder.refsName, .readWriteOrCreate)
      let status = try file.status()
      guard status.isRegular else { throw .invalid }
      if status.linkCount != 1 {
        // Somebody may have copied the store with hard links, as backup tools do. Make a new file: the linked copies
        // must not change.
        try backup.removeFile(StoreFolder.refsName)
        file = try backup.createOwned(StoreFolder.refsName)
      }
      try file.write(refs, at: 0)
      try file.truncate(to: UInt64(refs.count))
      if let modified { try file.setModified(modified) }
    }
  }

  /// Writes a copy of a list in `states/`, unless there is one.
  func keep(_ list: StateList, named id: ObjectID) {
    keep(list: list.text, named: id)
  }

  /// Reads and checks the copy of a list. Nil when there is no valid copy.
  func list(_ id: ObjectID) throws(StoreError) -> StateList? {
    guard let bytes = try bytes(ofList: id) else { return nil }
    do throws(FormatError) { return try StateList(bytes) } catch { return nil }
  }
}
