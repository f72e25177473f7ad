// Makes and damages files of every kind. It uses the C library, and CMementoSystem for calls that Swift cannot import, so that
// the tests do not depend on the code under test.

internal import CMementoSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

package struct ToolFailure: Error, CustomStringConvertible {
  package let call: String
  package let code: Int32

  package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// Returns the result of a call, or throws when it is -1.
@discardableResult
func check<Number: SignedInteger>(_ call: String, _ result: Number) throws -> Number {
  if result == -1 { throw ToolFailure(call: call, code: errno) }
  return result
}

/// A folder and operations on the names below it. A name may be a path with several components.
package struct FolderTools: Sendable {
  package let path: [UInt8]

  package init(_ path: [UInt8]) {
    self.path = path
  }

  package init(making path: [UInt8]) throws {
    self.path = path
    try check("mkdir", mkdir(FolderTools.cString(path), 0o755))
  }

  package func absolute(_ name: [UInt8]) -> [UInt8] {
    name.isEmpty ? path : path + [UInt8(ascii: "/")] + name
  }

  package func folder(_ name: String) -> FolderTools { FolderTools(absolute(name.bytes)) }

  static func cString(_ bytes: [UInt8]) -> [CChar] {
    bytes.map { CChar(bitPattern: $0) } + [0]
  }

  private func place(_ name: [UInt8]) -> [CChar] { FolderTools.cString(absolute(name)) }

  // MARK: Making

  /// Writes a file in place: an existing file keeps its inode. On a fifo it fails and does not wait for a reader.
  package func write(_ name: [UInt8], _ bytes: [UInt8], mode: UInt32 = 0o644) throws {
    let file = try check("open", open(place(name), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, mode))
    defer { close(file) }
    try put(bytes, at: 0, file)
  }

  /// Overwrites a part of an existing file.
  package func patch(_ name: [UInt8], _ bytes: [UInt8], at offset: Int) throws {
    let file = try check("open", open(place(name), O_WRONLY | O_NOFOLLOW | O_NONBLOCK))
    defer { close(file) }
    try put(bytes, at: offset, file)
  }

  private func put(_ bytes: [UInt8], at offset: Int, _ file: Int32) throws {
    var done = 0
    while done < bytes.count {
      done += try bytes.withUnsafeBytes {
        try check("pwrite", pwrite(file, $0.baseAddress! + done, bytes.count - done, off_t(offset + done)))
      }
    }
  }

  package func truncate(_ name: [UInt8], to size: Int) throws {
    let file = try check("open", open(place(name), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644))
    defer { close(file) }
    try check("ftruncate", ftruncate(file, off_t(size)))
  }

  package func read(_ name: [UInt8]) throws -> [UInt8] {
    let file = try check("open", open(place(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
    defer { close(file) }
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try check("read", Glibc.read(file, &buffer, buffer.count))
      if count == 0 { return result }
      result += buffer[..<count]
    }
  }

  package func makeFolder(_ name: [UInt8], mode: UInt32 = 0o755) throws {
    try check("mkdir", mkdir(place(name), mode))
  }

  package func makeLink(_ name: [UInt8], to target: [UInt8]) throws {
    try check("symlink", symlink(FolderTools.cString(target), place(name)))
  }

  package func makeHardLink(_ name: [UInt8], to old: [UInt8]) throws {
    try check("link", linkat(AT_FDCWD, place(old), AT_FDCWD, place(name), 0))
  }

  package func makeFifo(_ name: [UInt8], mode: UInt32 = 0o644) throws {
    try check("mkfifo", mkfifo(place(name), mode))
  }

  package func makeDevice(_ name: [UInt8], mode: UInt32, major: UInt32, minor: UInt32) throws {
    try check("mknod", mknod(place(name), mode, dev_t(cs_makedev(major, minor))))
  }

  /// Makes a socket on which nothing listens.
  package func makeSocket(_ name: [UInt8]) throws {
    try check("mknod", mknod(place(name), S_IFSOCK | 0o644, 0))
  }

  // MARK: Metadata

  package func setMode(_ name: [UInt8], _ mode: UInt32) throws {
    try check("chmod", chmod(place(name), mode))
  }

  package func setOwner(_ name: [UInt8], user: UInt32, group: UInt32) throws {
    try check("lchown", lchown(place(name), user, group))
  }

  package func setTime(_ name: [UInt8], _ seconds: Int, _ nanoseconds: Int = 0) throws {
    let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    try check("utimensat", utimensat(AT_FDCWD, place(name), [time, time], AT_SYMLINK_NOFOLLOW))
  }

  package func setAttribute(_ name: [UInt8], _ attribute: String, _ value: [UInt8]) throws {
    try check("setxattr", cs_set_link_attribute(place(name), attribute, value, value.count))
  }

  package func removeAttribute(_ name: [UInt8], _ attribute: String) throws {
    try check("removexattr", cs_remove_link_attribute(place(name), attribute))
  }

  // MARK: Moving and removing

  package func rename(_ name: [UInt8], to new: [UInt8]) throws {
    try check("rename", Glibc.rename(place(name), place(new)))
  }

  /// Removes a file, or a folder with everything in it, at any depth and with any permissions.
  package func remove(_ name: [UInt8]) throws {
    if unlink(place(name)) == 0 { return }
    try Removal(place(name)).run()
  }

  /// The names in the folder, sorted by bytes.
  package func names() throws -> [[UInt8]] {
    let directory = try check("open", open(FolderTools.cString(path), O_RDONLY | O_DIRECTORY))
    return try listing(directory).sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Removes everything except the store.
  package func empty() throws {
    for name in try names() where name != ".memento".bytes { try remove(name) }
  }
}

/// The names in an open folder. Closes the descriptor.
func listing(_ descriptor: Int32) throws -> [[UInt8]] {
  guard let stream = fdopendir(descriptor) else { throw ToolFailure(call: "fdopendir", code: errno) }
  defer { closedir(stream) }
  var result: [[UInt8]] = []
  while let entry = readdir(stream) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { $0.prefix { $0 != 0 }.map { $0 } }
    if name != [UInt8(ascii: ".")], name != "..".bytes { result.append(name) }
  }
  return result
}

/// Removes a folder. Each folder in it is first moved to its top, so that no path becomes long.
private struct Removal {
  let path: [CChar]

  init(_ path: [CChar]) {
    self.path = path
  }

  func run() throws {
    let top = try check("open", open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
    defer { close(top) }
    var moved = 0
    var pending = [FolderTools.cString([UInt8(ascii: ".")])]
    while let name = pending.popLast() {
      let folder = try check("openat", openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
      fchmod(folder, 0o700)
      for child in try listing(dup(folder)) {
        let child = FolderTools.cString(child)
        if unlinkat(folder, child, 0) == 0 { continue }
        if unlinkat(folder, child, AT_REMOVEDIR) == 0 { continue }
        let new = FolderTools.cString(Array("removal-\(moved)".utf8))
        moved += 1
        fchmodat(folder, child, 0o700, 0)
        try check("renameat", renameat(folder, child, top, new))
        pending.append(new)
      }
      close(folder)
      if pending.isEmpty || name.count > 2 { unlinkat(top, name, AT_REMOVEDIR) }
    }
    try check("rmdir", rmdir(path))
  }
}
