// System calls on a name inside an open directory. They do not follow a link of that name.

internal import CMementoSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What `rename` does when the new name is already taken.
package enum RenameRule: Sendable {
  case replace
  /// Fails with `.exists`.
  case noReplace
  /// Swaps the two files.
  case exchange
}

extension Descriptor {
  /// The status of a name. Throws `.notFound` when there is no such name.
  package func status(of name: [UInt8]) throws(Errno) -> FileStatus {
    try withCString(name) { (name) throws(Errno) in try status(of: name) }
  }

  package func status(of name: UnsafePointer<CChar>) throws(Errno) -> FileStatus {
    var raw = cs_stat()
    _ = try retrying { cs_fstatat(self.raw, name, &raw) }
    return FileStatus(raw)
  }

  /// The status of a name; nil when there is no such name. Throws when the status could not be read.
  package func statusIfPresent(of name: [UInt8]) throws(Errno) -> FileStatus? {
    do throws(Errno) {
      return try status(of: name)
    } catch {
      if error == .notFound { return nil }
      throw error
    }
  }

  /// The creation time of a file; nil where the system or the file system does not record it.
  package func birth(of name: [UInt8]) throws(Errno) -> Timestamp? {
    try withCString(name) { (name) throws(Errno) in
      var seconds: Int64 = 0
      var nanoseconds: UInt32 = 0
      do throws(Errno) {
        _ = try retrying { cs_birth(raw, name, &seconds, &nanoseconds) }
      } catch {
        // Old kernels do not have statx(2), and some sandboxes forbid it.
        if [.notSupported, .notImplemented, .notPermitted, .invalid].contains(error) { return nil }
        throw error
      }
      return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }
  }

  package func makeDirectory(_ name: [UInt8], permissions: UInt32 = 0o700) throws(Errno) {
    try withCString(name) { (name) throws(Errno) in
      _ = try retrying { mkdirat(raw, name, mode_t(permissions)) }
    }
  }

  /// Removes a file, link or other node that is not a directory.
  package func removeFile(_ name: [UInt8]) throws(Errno) {
    try withCString(name) { (name) throws(Errno) in _ = try retrying { unlinkat(raw, name, 0) } }
  }

  /// Removes a file that nothing needs, if it can be removed. One that stays takes space and changes no answer.
  package func removeUnneeded(_ name: [UInt8]) {
    try? removeFile(name)  // as above
  }

  /// Removes an empty directory.
  package func removeDirectory(_ name: [UInt8]) throws(Errno) {
    try withCString(name) { (name) throws(Errno) in
      _ = try retrying { unlinkat(raw, name, AT_REMOVEDIR) }
    }
  }

  /// Renames `name` in this directory to `newName` in `directory`. `rule` says what happens to a file that has
  /// `newName`.
  package func rename(
    _ name: [UInt8], to newName: [UInt8], in directory: borrowing Descriptor,
    _ rule: RenameRule = .replace
  ) throws(Errno) {
    let target = directory.raw
    let how =
      switch rule {
      case .replace: CS_RENAME_REPLACE
      case .noReplace: CS_RENAME_NOREPLACE
      case .exchange: CS_RENAME_EXCHANGE
      }
    do throws(Errno) {
      try withCString(name) { (old) throws(Errno) in
        try withCString(newName) { (new) throws(Errno) in
          _ = try retrying { cs_renameat(raw, old, target, new, how) }
        }
      }
    } catch {
      guard rule == .noReplace, error == .invalid || error == .notImplemented else { throw error }
      try renameByLink(name, to: newName, in: directory)
    }
  }

  /// `noReplace` for file systems that do not support it, such as NFS. A file gets the new name as a hard link, which
  /// never replaces, and then loses the old name. A directory is checked and then renamed.
  private func renameByLink(
    _ name: [UInt8], to newName: [UInt8], in directory: borrowing Descriptor
  ) throws(Errno) {
    if try status(of: name).isDirectory {
      if try directory.statusIfPresent(of: newName) != nil { throw .exists }
      return try rename(name, to: newName, in: directory, .replace)
    }
    try link(name, to: newName, in: directory)
    try removeFile(name)
  }

  /// Makes `newName` in `directory` a hard link to the file `name` in this directory.
  package func link(
    _ name: [UInt8], to newName: [UInt8], in directory: borrowing Descriptor
  ) throws(Errno) {
    let target = directory.raw
    try withCString(name) { (old) throws(Errno) in
      try withCString(newName) { (new) throws(Errno) in
        _ = try retrying { linkat(raw, old, target, new, 0) }
      }
    }
  }

  package func makeSymbolicLink(_ name: [UInt8], target: [UInt8]) throws(Errno) {
    try withCString(name) { (name) throws(Errno) in
      try withCString(target) { (target) throws(Errno) in
        _ = try retrying { symlinkat(target, raw, name) }
      }
    }
  }

  /// The target of a symbolic link, as bytes.
  package func readSymbolicLink(_ name: [UInt8]) throws(Errno) -> [UInt8] {
    try withCString(name) { (name) throws(Errno) in
      var size = 256
      while true {
        var failure: Errno?
        let target = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
          let read = cs_readlinkat(raw, name, buffer.baseAddress, buffer.count)
          if read < 0 { failure = Errno.current } else { count = read }
        }
        if let failure { throw failure }
        if target.count < size { return target }
        size *= 4
      }
    }
  }

  /// Makes a fifo or a device node. Throws `.invalid` for any other kind.
  package func makeNode(
    _ name: [UInt8], kind: FileKind, permissions: UInt32, major: UInt32, minor: UInt32
  ) throws(Errno) {
    let type: UInt32
    switch kind {
    case .fifo: type = 0o010000
    case .characterDevice: type = 0o020000
    case .blockDevice: type = 0o060000
    default: throw .invalid
    }
    let device = dev_t(truncatingIfNeeded: cs_makedev(major, minor))
    try withCString(name) { (name) throws(Errno) in
      _ = try retrying { mknodat(raw, name, mode_t(type | (permissions & 0o7777)), device) }
    }
  }

  /// Sets the owner of a name. For a link it changes the link and not its target.
  package func setOwner(of name: [UInt8], user: UInt32, group: UInt32) throws(Errno) {
    try withCString(name) { (name) throws(Errno) in
      _ = try retrying { fchownat(raw, name, user, group, AT_SYMLINK_NOFOLLOW) }
    }
  }

  /// Sets the permissions of a name that the caller knows is not a link. On a link it fails where the system can tell.
  package func setPermissions(of name: [UInt8], _ permissions: UInt32) throws(Errno) {
    try withCString(name) { (name) throws(Errno) in
      _ = try retrying { fchmodat(raw, name, mode_t(permissions & 0o7777), AT_SYMLINK_NOFOLLOW) }
    }
  }

  /// Sets the modification time of a name and keeps the access time. Throws `.invalid` for a time that `isValid`
  /// refuses.
  package func setModified(of name: [UInt8], _ time: Timestamp) throws(Errno) {
    guard time.isValid else { throw .invalid }
    try withCString(name) { (name) throws(Errno) in
      _ = try retrying { cs_set_modified_at(raw, name, time.seconds, time.nanoseconds) }
    }
  }
}
