// `backup/` of a store: second copies of what cannot be computed from anything else. These are `config`, `rules`, the
// newest `refs`, and the lists in `states/` and `trash/`. A repair reads them, and so does a command that finds a list of the
// trash damaged.
//
// The copies are written after the commit and are not flushed. If a crash leaves a torn copy, its checksum shows it. A
// later command writes the copy again, unless it is the copy of a list and has the right size.

internal import MementoSystem

struct StoreBackup: Sendable {
  /// `refs` of more bytes are not copied with each commit. A repair then uses `refs.prev`.
  static let longestRefs = 4 << 20

  private let folder: StoreFolder

  init(_ folder: StoreFolder) {
    self.folder = folder
  }

  /// Opens `backup/` and calls `write` with it. If something that is not a folder is in the place of `backup/`, or not
  /// a file in the place of a copy, `backup/` is moved to `damaged/` and made again.
  func writeIfPossible(_ write: (borrowing Descriptor) throws(Errno) -> Void) {
    do throws(Errno) {
      try write(open())
    } catch {
      guard [.notDirectory, .isDirectory, .loop, .invalid, .noDevice].contains(error) else { return }
      // The last attempt: the store is whole without the copy.
      try? StoreBackup.replaceFolder(folder) { () throws(Errno) in try write(open()) }
    }
  }

  private static func replaceFolder(_ folder: StoreFolder, _ write: () throws(Errno) -> Void) throws(StoreError) {
    try Quarantine(folder).move(StoreFolder.backupName, from: folder.root, "backup")
    try onFile("write", "backup", write)
  }

  /// Opens `backup/`. Throws when it is missing.
  func openFolder() throws(Errno) -> Descriptor {
    try folder.root.open(StoreFolder.backupName, .directory)
  }

  private func open() throws(Errno) -> Descriptor {
    try StoreFolder.openOrMake(StoreFolder.backupName, in: folder.root, durable: false)
  }

  // MARK: Writing

  /// Writes the copy of a file of the store, unless it is there already, and gives it the time of modification of the
  /// file. Nil when that is not known. See `beforeRot`.
  func keep(_ bytes: [UInt8], of name: [UInt8], modified: Timestamp?) {
    let copy = BackupCopy.encode(bytes)
    writeIfPossible { (backup) throws(Errno) in
      if try !StoreBackup.isFile(name, in: backup, with: copy) {
        try replace(name, in: backup, with: copy)
      }
      guard let modified, try backup.status(of: name).modified != modified else { return }
      try backup.open(name, .readWrite).setModified(modified)
    }
  }

  /// Removes the copy of a file that is not there any more, if it can be removed: a copy without its file is not used.
  func forget(_ name: [UInt8]) {
    folder.removeUnneeded(in: StoreFolder.backupName) { $0 == name }
  }

  /// Writes the copy of a list that is named by its SHA-256, unless a file of that name and size is there.
  func keep(list text: ArraySlice<UInt8>, named id: ObjectID) {
    let name = Array(id.description.utf8)
    writeIfPossible { (backup) throws(Errno) in
      do throws(Errno) {
        let status = try backup.status(of: name)
        guard status.isRegular else { throw .invalid }
        // Compare only the size: the list may be a megabyte long, and a repair checks its bytes anyway.
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

  /// Whether a file has exactly these bytes. Reads at most that many bytes.
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

  /// The longest file that has a copy by name, with its first line.
  private static let longestCopy = 256 << 20

  /// The copy of a file that has rotted. Whoever writes a file changes its time of modification, and a medium that fails
  /// does not. So a file has rotted if it has the time and the size of its copy, and other bytes. Nil when it is as it was
  /// written, or when nothing can be said. `now`: its bytes; nil when they cannot be read.
  static func beforeRot(_ name: [UInt8], in root: borrowing Descriptor, now: [UInt8]?) -> [UInt8]? {
    do throws(Errno) {
      let file = try root.open(StoreFolder.backupName, .directory).open(name, .read)
      guard let copy = BackupCopy.decode(try file.contents(limit: longestCopy)), copy != now else { return nil }
      let status = try root.status(of: name)
      guard status.isRegular, status.size == UInt64(copy.count) else { return nil }
      return try status.modified == file.status().modified ? copy : nil
    } catch {
      // There is no copy, or it cannot be read: the file counts as it is.
      return nil
    }
  }

  /// The copy of a file in a store that may be damaged. Nil when there is no valid copy.
  static func copy(of name: [UInt8], in root: borrowing Descriptor) throws(StoreError) -> [UInt8]? {
    guard let bytes = try contents(of: name, in: root, limit: longestCopy) else { return nil }
    return BackupCopy.decode(bytes)
  }

  /// The bytes of the copy of `refs`, unchecked. Nil when there is no such file.
  func refs() throws(StoreError) -> [UInt8]? {
    try StoreBackup.contents(of: StoreFolder.refsName, in: folder.root, limit: StoreBackup.longestRefs)
  }

  /// The bytes of the copy of a list. Nil when there is no copy with this hash.
  func bytes(ofList id: ObjectID) throws(StoreError) -> [UInt8]? {
    let bytes = try StoreBackup.contents(of: Array(id.description.utf8), in: folder.root, limit: 1 << 30)
    return bytes.flatMap { ObjectID(hashing: $0) == id ? $0 : nil }
  }

  /// The bytes of a file in `backup/`. Nil when it is missing, is not a file, or has more than `limit` bytes.
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

/// The copy of `config`, and of `rules`, begins with an extra line. It is a comment in the grammar of `config`, and holds the
/// SHA-256 of what follows.
package enum BackupCopy {
  private static let mark = "# SHA-256 of what follows: "

  /// The bytes of the copy: the extra line and the file.
  package static func encode(_ file: [UInt8]) -> [UInt8] {
    Array("\(mark)\(ObjectID(hashing: file))\n".utf8) + file
  }

  /// The bytes of the file of a copy. Nil when the copy is not complete.
  package static func decode(_ bytes: [UInt8]) -> [UInt8]? {
    let length = mark.utf8.count + 64 + 1
    guard bytes.count > length, bytes.starts(with: mark.utf8) else { return nil }
    let file = Array(bytes[length...])
    return encode(file) == bytes ? file : nil
  }
}
