// An open file: one owner, closed at its end. Reading, writing and metadata through the descriptor, never through a
// path, so that nothing can be swapped underneath.

internal import CSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// How a file is opened; always with O_CLOEXEC and without following a link in the last component.
package struct OpenMode: Sendable {
  fileprivate let flags: Int32

  /// For reading; does not wait for a writer of a fifo and does not become a controlling terminal.
  package static let read = OpenMode(flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  package static let directory = OpenMode(flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  /// A directory that is opened at the end of a link, too: only for what the user named.
  package static let namedDirectory = OpenMode(flags: O_RDONLY | O_DIRECTORY)
  /// A file that the user named, links followed.
  package static let namedFile = OpenMode(flags: O_RDONLY | O_NOCTTY)
  /// A new file, which must not exist.
  package static let create = OpenMode(flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
  package static let readWrite = OpenMode(flags: O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  package static let readWriteOrCreate = OpenMode(
    flags: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  /// Whatever has the name, a link, fifo or device too, without opening it: only for status and metadata.
  package static let node = OpenMode(flags: cs_o_path_no_follow)
  package static let append = OpenMode(
    flags: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK)
}

/// An open file descriptor that closes itself.
package struct Descriptor: ~Copyable, Sendable {
  package let raw: Int32

  /// Takes over a descriptor that nobody else closes.
  package init(adopting raw: Int32) {
    self.raw = raw
  }

  deinit {
    _ = close(raw)
  }

  /// Closes it and reports what the file system held back until now (NFS, quotas).
  package consuming func finish() throws(Errno) {
    let raw = self.raw
    discard self
    // The descriptor is gone on Linux even when close is interrupted: never again.
    if close(raw) != 0, Errno.current != .interrupted { throw Errno.current }
  }

  /// Opens a path as the user gave it, relative to the current directory.
  package static func open(
    _ path: [UInt8], _ mode: OpenMode, permissions: UInt32 = 0o600
  ) throws(Errno) -> Descriptor {
    try withCString(path) { (name) throws(Errno) in
      try openAt(AT_FDCWD, name, mode, permissions: permissions)
    }
  }

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

  package func duplicate() throws(Errno) -> Descriptor {
    Descriptor(adopting: try retrying { fcntl(raw, F_DUPFD_CLOEXEC, 0) })
  }

  // MARK: Content

  package func status() throws(Errno) -> FileStatus {
    var raw = cs_stat()
    _ = try retrying { cs_fstat(self.raw, &raw) }
    return FileStatus(raw)
  }

  /// Reads up to `buffer.count` bytes from the current position; 0 at the end of the file.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try retrying { cs_read(raw, buffer.baseAddress, buffer.count) }
  }

  /// Reads until the buffer is full or the file ends; returns the bytes read. `expectingEnd`: a read that ends there is not
  /// followed by one that only confirms it.
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

  /// The bytes from `offset` on, `count` at most; fewer when the file ends before.
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

  /// The whole content, up to `limit` bytes; `.rangeError` when there is more.
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
    var rest = bytes
    while !rest.isEmpty {
      let count = try retrying { cs_write(raw, rest.baseAddress, rest.count) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

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

  package func truncate(to size: UInt64) throws(Errno) {
    guard let size = off_t(exactly: size) else { throw .invalid }
    _ = try retrying { ftruncate(raw, size) }
  }

  /// Goes back to the beginning, for reading a directory again.
  package func rewind() throws(Errno) {
    _ = try retrying { Int(lseek(raw, 0, SEEK_SET)) }
  }

  // MARK: Durability

  /// Returns when the content is on the medium. After a failure the file must be dropped, never flushed again: the
  /// kernel has marked its pages clean.
  package func flush() throws(Errno) {
    _ = try retrying { cs_flush(raw) }
  }

  /// As `flush`, for a directory: its names are on the medium.
  package func flushDirectory() throws(Errno) {
    _ = try retrying { fsync(raw) }
  }

  /// Returns when everything written to this file's file system is on the medium.
  package func flushFileSystem() throws(Errno) {
    _ = try retrying { cs_flush_filesystem(raw) }
  }

  /// Starts to write a range to the medium, so that a later `flush` waits for little. A hint.
  package func startWriteback(offset: UInt64, size: UInt64) {
    _ = cs_start_writeback(raw, off_t(clamping: offset), off_t(clamping: size))
  }

  /// Lets the kernel forget what it remembers of the content, so that it is read from the medium. A hint: what was not
  /// flushed stays.
  package func dropCache() {
    _ = cs_drop_cache(raw)
  }

  package func adviseSequential() {
    _ = cs_advise_sequential(raw)
  }

  // MARK: Holes

  /// The first byte of data at or after `offset`; nil when only a hole follows.
  package func nextData(from offset: UInt64) throws(Errno) -> UInt64? {
    do {
      return UInt64(try retrying { cs_seek_data(raw, off_t(clamping: offset)) })
    } catch {
      if error == .noDevice { return nil }
      throw error
    }
  }

  /// The first byte of a hole at or after `offset`; the end of the file counts as one.
  package func nextHole(from offset: UInt64) throws(Errno) -> UInt64 {
    UInt64(try retrying { cs_seek_hole(raw, off_t(clamping: offset)) })
  }

  /// Bytes that the file system of this file has in all, used or not; 0 where it does not say.
  package func fileSystemSize() throws(Errno) -> UInt64 {
    var size: UInt64 = 0
    _ = try retrying { cs_filesystem_size(raw, &size) }
    return size
  }

  // MARK: Metadata

  package func setPermissions(_ permissions: UInt32) throws(Errno) {
    _ = try retrying { fchmod(raw, mode_t(permissions & 0o7777)) }
  }

  package func setOwner(user: UInt32, group: UInt32) throws(Errno) {
    _ = try retrying { fchown(raw, user, group) }
  }

  /// Sets the time of the last modification; that of the last access stays.
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

/// Calls `body` with the bytes as a C string; a NUL among them is refused, so that no name is cut short.
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
  /// The path of the open file as the system knows it now; nil on a system that does not tell, such as one without /proc.
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
