// A file that is written aside and gets its name when it is whole: written, flushed, renamed. Readers see the old file or
// the new one, and a file that is dropped before it has its name leaves nothing behind.

/// The owner decides when the file is flushed: `place` only renames. The file stays open, and so locked against a sweep,
/// until it has its name.
package struct TemporaryFile: ~Copyable, Sendable {
  private let directory: SharedDescriptor
  private let name: [UInt8]
  /// The open file, for owners that share it between threads.
  package let file: SharedDescriptor
  private var isPlaced = false

  /// Makes a new file in `directory`, which belongs to the owner of `folder`. `name`: one that nobody else uses.
  /// Throws `.exists` when the name is taken. After an error nothing is left.
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

  /// Brings the content to the medium.
  package func flush() throws(Errno) {
    try file.descriptor.flush()
  }

  /// Throws what the file system held back of the writes so far (NFS, quotas). For a file that is not flushed.
  package func checkWrites() throws(Errno) {
    try file.descriptor.duplicate().finish()
  }

  /// Gives the file its name in `directory`. Nothing is flushed. After an error the file is gone.
  package consuming func place(
    as newName: [UInt8], in directory: borrowing Descriptor, _ rule: RenameRule = .replace
  ) throws(Errno) {
    try self.directory.descriptor.rename(name, to: newName, in: directory, rule)
    isPlaced = true
  }

  /// Gives the file its name in `directory`. `durable`: the content is on the medium before, and the name when this
  /// returns. A failed flush is final: the file is gone, and `directory` is as it was.
  package consuming func place(
    as newName: [UInt8], in directory: borrowing Descriptor, _ rule: RenameRule = .replace, durable: Bool
  ) throws(Errno) {
    if durable { try flush() } else { try checkWrites() }
    try place(as: newName, in: directory, rule)
    if durable { try directory.flushDirectory() }
  }
}
