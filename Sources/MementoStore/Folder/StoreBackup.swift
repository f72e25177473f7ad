// `backup/` of a store: a second copy of what nothing else could tell again. These are `config`, the newest `refs`, and the
// lists in `states/` and `trash/`. Nobody reads them but a repair. They are written after the commit and without a flush: a
// copy that a crash leaves torn is told by its checksum, and the next command writes it again. A store is whole without them:
// a copy that cannot be written is no reason to fail the command, and the next command tries again.

internal import MementoSystem

struct StoreBackup: Sendable {
  /// Longer `refs` are not copied with each commit. `refs.prev` is what a repair has then.
  static let longestRefs = 4 << 20

  private let folder: StoreFolder

  init(_ folder: StoreFolder) {
    self.folder = folder
  }

  /// Writes into the folder, if that can be done. What is in the place of a copy and is no file, or of the folder, is put
  /// aside first.
  private func writeIfPossible(_ write: (borrowing Descriptor) throws(Errno) -> Void) {
    do throws(Errno) {
      try write(open())
    } catch {
      guard [.notDirectory, .isDirectory, .loop, .invalid, .noDevice].contains(error) else { return }
      // The last attempt: the store is whole without the copy.
      try? StoreBackup.replaceFolder(folder) { () throws(Errno) in try write(open()) }
    }
  }

  private static func replaceFolder(_ folder: StoreFolder, _ write: () throws(Errno) -> Void) throws(StoreError) {
    try SetAside(folder).move(StoreFolder.backupName, from: folder.root, "backup")
    try onFile("write", "backup", write)
  }

  private func open() throws(Errno) -> Descriptor {
    try StoreFolder.openOrMake(StoreFolder.backupName, in: folder.root, durable: false)
  }

  // MARK: Writing

  /// Keeps a copy of `config`, unless it is there.
  func keep(config: [UInt8]) {
    let copy = BackupConfig.encode(config)
    writeIfPossible { (backup) throws(Errno) in
      if try StoreBackup.isFile(StoreFolder.configName, in: backup, with: copy) { return }
      try replace(StoreFolder.configName, in: backup, with: copy)
    }
  }

  /// Keeps a copy of the newest `refs`. It is written in place, since a new file for each commit would cost more.
  func keep(refs: [UInt8], holding turn: borrowing RefsTurn) {
    guard refs.count <= StoreBackup.longestRefs else { return }
    writeIfPossible { (backup) throws(Errno) in
      try backup.createOwnedIfMissing(StoreFolder.refsName)
      var file = try backup.open(StoreFolder.refsName, .readWriteOrCreate)
      let status = try file.status()
      guard status.isRegular else { throw .invalid }
      if status.linkCount != 1 {
        // Somebody keeps copies of the store by hard links: those must stay what they are.
        try backup.removeFile(StoreFolder.refsName)
        file = try backup.createOwned(StoreFolder.refsName)
      }
      try file.write(refs, at: 0)
      try file.truncate(to: UInt64(refs.count))
    }
  }

  /// Keeps a copy of a list that is named by its SHA-256, unless it is there.
  func keep(list text: ArraySlice<UInt8>, named id: ObjectID) {
    let name = Array(id.description.utf8)
    writeIfPossible { (backup) throws(Errno) in
      do throws(Errno) {
        let status = try backup.status(of: name)
        guard status.isRegular else { throw .invalid }
        // Its bytes are compared by nobody but a repair: there may be a megabyte of them.
        if status.size == UInt64(text.count) { return }
      } catch {
        if error != .notFound { throw error }
      }
      try replace(name, in: backup, with: Array(text))
    }
  }

  private func replace(
    _ name: [UInt8], in backup: borrowing Descriptor, with bytes: [UInt8]
  ) throws(Errno) {
    let file = try folder.makeTemporary("backup")
    try file.write(bytes)
    try file.place(as: name, in: backup, durable: false)
  }

  /// Reads no more than such a file has.
  private static func isFile(
    _ name: [UInt8], in directory: borrowing Descriptor, with bytes: [UInt8]
  ) throws(Errno) -> Bool {
    do throws(Errno) {
      return try directory.contents(of: name, limit: bytes.count) == bytes
    } catch {
      if error == .rangeError { return false }
      throw error
    }
  }

  // MARK: Reading

  /// The copy of `config` in a store that may not be whole; nil when there is none that is good.
  static func config(in root: borrowing Descriptor) throws(StoreError) -> [UInt8]? {
    guard let bytes = try contents(of: StoreFolder.configName, in: root, limit: 2 << 20) else { return nil }
    return BackupConfig.decode(bytes)
  }

  /// The copy of `refs`, not checked.
  func refs() throws(StoreError) -> [UInt8]? {
    try StoreBackup.contents(of: StoreFolder.refsName, in: folder.root, limit: StoreBackup.longestRefs)
  }

  /// The bytes of the copy of a list; nil when there is none that is good.
  func bytes(ofList id: ObjectID) throws(StoreError) -> [UInt8]? {
    let bytes = try StoreBackup.contents(of: Array(id.description.utf8), in: folder.root, limit: 1 << 30)
    return bytes.flatMap { ObjectID(hashing: $0) == id ? $0 : nil }
  }

  /// Nil where there is no such file, nor anything that could be read as one.
  private static func contents(
    of name: [UInt8], in root: borrowing Descriptor, limit: Int
  ) throws(StoreError) -> [UInt8]? {
    do throws(StoreError) {
      return try openingPart("backup") { () throws(Errno) in
        do throws(Errno) {
          return try root.open(StoreFolder.backupName, .directory).contents(of: name, limit: limit)
        } catch {
          switch error {
          case .notDirectory, .rangeError: throw .invalid
          default: throw error
          }
        }
      }
    } catch {
      if case .damaged = error { return nil }
      throw error
    }
  }
}

/// The copy of `config` has a line before it, a comment in its grammar, that tells whether all of it is there.
package enum BackupConfig {
  private static let mark = "# SHA-256 of what follows: "

  package static func encode(_ config: [UInt8]) -> [UInt8] {
    Array("\(mark)\(ObjectID(hashing: config))\n".utf8) + config
  }

  /// Nil for a copy that is not whole.
  package static func decode(_ bytes: [UInt8]) -> [UInt8]? {
    let length = mark.utf8.count + 64 + 1
    guard bytes.count > length, bytes.starts(with: mark.utf8) else { return nil }
    let config = Array(bytes[length...])
    return encode(config) == bytes ? config : nil
  }
}
