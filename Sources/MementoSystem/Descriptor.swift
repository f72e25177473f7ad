// An open file with one owner, who closes it. Content and metadata are read and written through the descriptor and
// never through a path, so that nobody can put another file in its place meanwhile.

internal import CMementoSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// How a file is opened. O_CLOEXEC is always set. A link as the last component is not followed, except by the two
/// `named` modes.
package struct OpenMode: Sendable {
  fileprivate let flags: Int32

  /// For reading. Opening a fifo does not wait for a writer, and a terminal does not become the controlling terminal.
  package static let read = OpenMode(flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  package static let directory = OpenMode(flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  /// A directory; a link to one is followed. Only for a path that the user gave.
  package static let namedDirectory = OpenMode(flags: O_RDONLY | O_DIRECTORY)
  /// A file for reading; a link is followed. Only for a path that the user gave.
  package static let namedFile = OpenMode(flags: O_RDONLY | O_NOCTTY)
  /// A new file for reading and writing. Fails with `.exists` when the name is taken.
  package static let create = OpenMode(flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
  package static let readWrite = OpenMode(flags: O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  package static let readWriteOrCreate = OpenMode(
    flags: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  /// Anything that has the name, including a link, fifo or device. It is not opened itself: the descriptor serves only
  /// for status and metadata.
  package static let node = OpenMode(flags: cs_o_path_no_follow)
  package static let append = OpenMode(
    flags: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK)
}

/// An open file descriptor. It is closed when the value goes out of scope.
package struct Descriptor: ~Copyable, Sendable {
  package let raw: Int32

  /// Takes over the descriptor `raw`, which nobody else may close.
  package init(adopting raw: Int32) {
    self.raw = raw
  }

  deinit {
    _ = close(raw)
  }

  /// Closes the file. Throws a write error that the file system reports only now (NFS, quotas).
  package consuming func finish() throws(Errno) {
    let raw = self.raw
    discard self
    // Linux closes the descriptor even when `close` is interrupted, so `close` must not be called again.
    if close(raw) != 0, Errno.current != .interrupted { throw Errno.current }
  }

  /// Opens a path that the user gave, relative to the current directory. `permissions` are those of a new file.
  package static func open(
    _ path: [UInt8], _ mode: OpenMode, permissions: UInt32 = 0o600
  ) throws(Errno) -> Descriptor {
    try withCString(path) { (name) throws(Errno) in
      try openAt(AT_FDCWD, name, mode, permissions: permissions)
    }
  }

  /// Opens a name in this directory. `permissions` are those of a new file.
  package func open(
    _ name: [UInt8], _ mode: OpenMode, permissions: UInt32 = 0o600
  ) throws(Errno) -> Descriptor {
    try withCString(name) { (name) throws(Errno) in
      try openAt(raw, name, mode, permissions: permissions)
    }
  }

  package func open(
    _ name: UnsafePointer<CChar>, _ mode: OpenMode, permissions: UInt32 = 0o600
  ) throws(Errno) -> Descriptor {
    try openAt(raw, name, mode, permissions: permissions)
  }

  /// A second descriptor of the same open file. Both share one position and one lock.
  package func duplicate() throws(Errno) -> Descriptor {
    Descriptor(adopting: try retrying { fcntl(raw, F_DUPFD_CLOEXEC, 0) })
  }

  // MARK: Content

  /// The status of the open file.
  package func status() throws(Errno) -> FileStatus {
    var raw = cs_stat()
    _ = try retrying { cs_fstat(self.raw, &raw) }
    return FileStatus(raw)
  }

  /// Reads up to `buffer.count` bytes at the current position. Returns the bytes read; 0 is the end of the file.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try retrying { cs_read(raw, buffer.baseAddress, buffer.count) }
  }

  /// Reads from `offset` until the buffer is full or the file ends. Returns the bytes read. When a read ends exactly at
  /// `end`, where the caller expects the end of the file, no further read confirms that.
  package func readFully(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64, expectingEnd end: UInt64? = nil
  ) throws(Errno) -> Int {
    guard let start = off_t(exactly: offset) else { throw .invalid }
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try retrying { pread(raw, rest.baseAddress, rest.count, start + off_t(done)) }
      if count == 0 { break }
      done += count
      if let end, offset + UInt64(done) == end { break }
    }
    return done
  }

  /// Up to `count` bytes from `offset` on; fewer when the file ends before.
  package func bytes(at offset: UInt64, count: Int) throws(Errno) -> [UInt8] {
    var failure: Errno?
    let result = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      do throws(Errno) {
        initialized = try readFully(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return result
  }

  /// What a file of the system says, such as one in /proc; nil where it cannot be read. For what can be done without.
  static func systemText(
    _ path: String, _ read: (borrowing Descriptor) throws(Errno) -> [UInt8]
  ) -> [UInt8]? {
    do throws(Errno) { return try read(open(Array(path.utf8), .namedFile)) } catch { return nil }
  }

  /// The whole content. Throws `.rangeError` when it has more than `limit` bytes.
  package func contents(limit: Int = 1 << 30) throws(Errno) -> [UInt8] {
    var result: [UInt8] = []
    let size = Int(clamping: try status().size)
    if size > limit { throw .rangeError }
    var chunk = max(4096, size + 1)
    while true {
      let piece = try bytes(at: UInt64(result.count), count: chunk)
      if result.isEmpty { result = piece } else { result.append(contentsOf: piece) }
      if result.count > limit { throw .rangeError }
      if piece.count < chunk { return result }
      chunk = 1 << 20
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    /// Writes all bytes at the current position.
    var rest = bytes
    while !rest.isEmpty {
      let count = try retrying { cs_write(raw, rest.baseAddress, rest.count) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Writes all bytes at `offset`.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Errno) {
    guard let start = off_t(exactly: offset) else { throw .invalid }
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      done += try retrying { pwrite(raw, rest.baseAddress, rest.count, start + off_t(done)) }
    }
  }

  package func write(_ bytes: [UInt8]) throws(Errno) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(Errno) in
      try write(UnsafeRawBufferPointer(buffer))
    }
  }

  package func write(_ bytes: [UInt8], at offset: UInt64) throws(Errno) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(Errno) in
      try write(UnsafeRawBufferPointer(buffer), at: offset)
    }
  }

  /// Sets the size in bytes: cuts the file, or extends it with zeros.
  package func truncate(to size: UInt64) throws(Errno) {
    guard let size = off_t(exactly: size) else { throw .invalid }
    _ = try retrying { ftruncate(raw, size) }
  }

  /// Goes back to the beginning, to read a directory again.
  package func rewind() throws(Errno) {
    _ = try retrying { Int(lseek(raw, 0, SEEK_SET)) }
  }

  // MARK: Durability

  /// Returns when the content is on the medium. After a failure the file must be dropped and not flushed again: the
  /// kernel has marked its pages clean although they were not written.
  package func flush() throws(Errno) {
    _ = try retrying { cs_flush(raw) }
  }

  /// Returns when the names in this directory are on the medium.
  package func flushDirectory() throws(Errno) {
    _ = try retrying { fsync(raw) }
  }

  /// Returns when everything that was written to the file system of this file is on the medium.
  package func flushFileSystem() throws(Errno) {
    _ = try retrying { cs_flush_filesystem(raw) }
  }

  /// Starts to write a range to the medium, so that a later `flush` waits for less. It is a hint; failures are ignored.
  package func startWriteback(offset: UInt64, size: UInt64) {
    _ = cs_start_writeback(raw, off_t(clamping: offset), off_t(clamping: size))
  }

  /// Asks the kernel to drop the cached content of this file, so that it is read from the medium again. It is a hint:
  /// pages that are not flushed stay in the cache.
  package func dropCache() {
    _ = cs_drop_cache(raw)
  }

  /// Tells the kernel that the file is read from beginning to end. It is a hint.
  package func adviseSequential() {
    _ = cs_advise_sequential(raw)
  }

  // MARK: Holes

  /// The offset of the first data at or after `offset`; nil when only a hole follows.
  package func nextData(from offset: UInt64) throws(Errno) -> UInt64? {
    do {
      return UInt64(try retrying { cs_seek_data(raw, off_t(clamping: offset)) })
    } catch {
      if error == .noDevice { return nil }
      throw error
    }
  }

  /// The offset of the first hole at or after `offset`. The end of the file counts as a hole.
  package func nextHole(from offset: UInt64) throws(Errno) -> UInt64 {
    UInt64(try retrying { cs_seek_hole(raw, off_t(clamping: offset)) })
  }

  /// The size of the file system of this file in bytes, used space included; 0 when the file system does not report it.
  package func fileSystemSize() throws(Errno) -> UInt64 {
    var size: UInt64 = 0
    _ = try retrying { cs_filesystem_size(raw, &size) }
    return size
  }

  /// The bytes that this user can still write on the file system of this file. Nil when a file may take less there than
  /// it has bytes, since the file system compresses, or nobody knows.
  package func freeSpace() throws(Errno) -> UInt64? {
    if try retrying({ cs_packs_content(raw) }) != 0 { return nil }
    var size: UInt64 = 0
    _ = try retrying { cs_filesystem_free(raw, &size) }
    return size
  }

  // MARK: Metadata

  /// Sets the permission bits, with setuid, setgid and sticky.
  package func setPermissions(_ permissions: UInt32) throws(Errno) {
    _ = try retrying { fchmod(raw, mode_t(permissions & 0o7777)) }
  }

  package func setOwner(user: UInt32, group: UInt32) throws(Errno) {
    _ = try retrying { fchown(raw, user, group) }
  }

  /// Sets the modification time and keeps the access time. Throws `.invalid` for a time that `isValid` refuses.
  package func setModified(_ time: Timestamp) throws(Errno) {
    guard time.isValid else { throw .invalid }
    _ = try retrying { cs_set_modified(raw, time.seconds, time.nanoseconds) }
  }
}

private func openAt(
  _ directory: Int32, _ name: UnsafePointer<CChar>, _ mode: OpenMode, permissions: UInt32
) throws(Errno) -> Descriptor {
  let raw = try retrying {
    cs_openat(directory, name, mode.flags | O_CLOEXEC, mode_t(permissions))
  }
  return Descriptor(adopting: raw)
}

/// Calls `body` with the bytes as a C string. Throws `.invalid` when they contain a NUL, which would cut the name
/// short.
package func withCString<Result: ~Copyable>(
  _ bytes: [UInt8], _ body: (UnsafePointer<CChar>) throws(Errno) -> Result
) throws(Errno) -> Result {
  if bytes.contains(0) { throw .invalid }
  let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
  defer { copy.deallocate() }
  for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
  copy[bytes.count] = 0
  return try body(copy)
}

extension Descriptor {
  /// The current path of the open file as the kernel reports it. nil where it cannot be found out, for example without
  /// /proc.
  package func path() throws(Errno) -> [UInt8]? {
    #if os(Linux)
      do throws(Errno) {
        let open = try Descriptor.open(Array("/proc/self/fd".utf8), .namedDirectory)
        return try open.readSymbolicLink(Array("\(raw)".utf8))
      } catch {
        switch error {
        case .notFound, .notDirectory, .permissionDenied, .notPermitted: return nil
        default: throw error
        }
      }
    #else
      var buffer = [CChar](repeating: 0, count: Int(MAXPATHLEN))
      guard fcntl(raw, F_GETPATH, &buffer) == 0 else { throw .current }
      return buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    #endif
  }
}
