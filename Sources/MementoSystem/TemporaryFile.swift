// A file that gets its final name only when it is complete: it is written under a temporary name, flushed and renamed.
// Readers see either the old file or the new one. A file that never gets its name is removed.

/// The file stays open, and so locked against a sweep, until it has its name. The owner chooses when to flush: the
/// `place` without `durable` only renames.
package struct TemporaryFile: ~Copyable, Sendable {
  private let directory: SharedDescriptor
  private let name: [UInt8]
  /// The open file, for owners that share it between threads.
  package let file: SharedDescriptor
  private var isPlaced = false

  /// Makes a new file in `directory` and gives it to the owner of `folder`. Nobody else may use `name`. Throws
  /// `.exists` when the name is taken. After an error no file is left.
  package init(
    making name: [UInt8], in directory: SharedDescriptor, ownedLike folder: borrowing Descriptor
  ) throws(Errno) {
    let file = SharedDescriptor(try directory.descriptor.open(name, .create))
    do throws(Errno) {
      try file.descriptor.giveToOwner(of: folder)
      try file.descriptor.lockAgainstSweep()
    } catch {
      directory.descriptor.removeUnneeded(name)
      throw error
    }
    self.directory = directory
    self.name = name
    self.file = file
  }

  deinit {
    // The next sweep removes what cannot be removed here.
    if !isPlaced { directory.descriptor.removeUnneeded(name) }
  }

  /// Appends bytes.
  package func write(_ bytes: [UInt8]) throws(Errno) {
    try file.descriptor.write(bytes)
  }

  /// Returns when the content is on the medium.
  package func flush() throws(Errno) {
    try file.descriptor.flush()
  }

  /// Throws write errors that the file system has not reported yet (NFS, quotas). For a file that is not flushed.
  package func checkWrites() throws(Errno) {
    try file.descriptor.duplicate().finish()
  }

  /// Renames the file to `newName` in `directory`, without a flush. After an error the file is gone.
  package consuming func place(
    as newName: [UInt8], in directory: borrowing Descriptor, _ rule: RenameRule = .replace
  ) throws(Errno) {
    try self.directory.descriptor.rename(name, to: newName, in: directory, rule)
    isPlaced = true
  }

  /// Takes the place of the file `newName` in `directory`, durably. The old file goes only when the new one is on the
  /// medium, with its name: a file system that gives the blocks of a removed file away at once could otherwise bring the
  /// old one back, after a power cut, with the bytes of another. After an error one of the two has the name.
  package consuming func replace(_ newName: [UInt8], in directory: borrowing Descriptor) throws(Errno) {
    try flush()
    do throws(Errno) {
      try self.directory.descriptor.rename(name, to: newName, in: directory, .exchange)
    } catch {
      // Not every file system can swap two names.
      guard error == .invalid || error == .notImplemented else { throw error }
      try place(as: newName, in: directory)
      return try directory.flushDirectory()
    }
    // The old file has the temporary name now. If the flush fails, it stays until a sweep.
    isPlaced = true
    try directory.flushDirectory()
    isPlaced = false
  }

  /// Renames the file to `newName` in `directory`. With `durable`, the content is on the medium before the rename, and
  /// the name is on the medium when this returns. If the flush of the content or the rename fails, the file is gone and
  /// `directory` is unchanged. If the flush of `directory` fails, the file has its new name, but a power cut may undo
  /// the rename.
  package consuming func place(
    as newName: [UInt8], in directory: borrowing Descriptor, _ rule: RenameRule = .replace, durable: Bool
  ) throws(Errno) {
    if durable { try flush() } else { try checkWrites() }
    try place(as: newName, in: directory, rule)
    if durable { try directory.flushDirectory() }
  }
}
