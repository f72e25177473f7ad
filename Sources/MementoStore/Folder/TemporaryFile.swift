// A file that is written in tmp/ and gets its name when it is whole. Whoever drops it before leaves nothing behind.

internal import MementoSystem

struct TemporaryFile: ~Copyable {
  private let folder: StoreFolder
  private let name: [UInt8]
  private let file: Descriptor
  private var isPlaced = false

  /// Makes it, locked against a sweep for as long as it is open. `kind`: what its name begins with.
  init(in folder: StoreFolder, _ kind: String) throws(Errno) {
    let name = folder.temporaryName(kind)
    let file = try TemporaryFile.make(name, in: folder)
    self.folder = folder
    self.name = name
    self.file = file
  }

  private static func make(_ name: [UInt8], in folder: StoreFolder) throws(Errno) -> Descriptor {
    let file = try folder.createTemporary(name)
    do throws(Errno) {
      try file.lockAgainstSweep()
      return file
    } catch {
      try? folder.temporary.removeFile(name)  // it is empty, and the error is reported
      throw error
    }
  }

  deinit {
    // The next sweep removes what cannot be removed here.
    if !isPlaced { try? folder.temporary.removeFile(name) }
  }

  func write(_ bytes: [UInt8]) throws(Errno) {
    try file.write(bytes)
  }

  func flush() throws(Errno) {
    try file.flush()
  }

  /// Gives it its name in `directory`. `durable`: the content is on the medium before, and the name when this returns.
  consuming func place(
    as newName: [UInt8], in directory: borrowing Descriptor, _ rule: RenameRule = .replace, durable: Bool
  ) throws(Errno) {
    if durable { try file.flush() }
    try folder.temporary.rename(name, to: newName, in: directory, rule)
    isPlaced = true
    if durable { try directory.flushDirectory() }
  }
}

extension StoreFolder {
  /// Writes a list that is named by its SHA-256 into a folder of lists; durable before this returns. Gives its name.
  func writeList(_ bytes: [UInt8], in folderName: [UInt8], _ kind: String) throws(Errno) -> ObjectID {
    let id = ObjectID(hashing: bytes)
    let lists = try openOrMake(folderName)
    try beginUnsynced()
    let file = try TemporaryFile(in: self, kind)
    try file.write(bytes)
    try file.place(as: Array(id.description.utf8), in: lists, durable: isDurable)
    return id
  }
}
