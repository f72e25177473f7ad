// System calls on paths that are needed before the library is called.

import MementoKit
import MementoSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum Paths {
  /// The path without symbolic links, `.` and `..`. It must exist.
  static func canonical(_ path: BytePath) throws(Errno) -> BytePath {
    let resolved: UnsafeMutablePointer<CChar>? = withCString(path) { realpath($0, nil) }
    guard let resolved else { throw Errno.current }
    defer { free(resolved) }
    return BytePath(UnsafeBufferPointer(start: resolved, count: strlen(resolved)).map { UInt8(bitPattern: $0) })
  }

  /// The folder at `path`, without symbolic links. Throws ENOTDIR when it is not a folder.
  static func canonicalFolder(_ path: BytePath) throws(Errno) -> BytePath {
    let folder = try canonical(path)
    var status = stat()
    guard withCString(folder, { stat($0, &status) }) == 0 else { throw Errno.current }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw Errno.notDirectory }
    return folder
  }

  /// Whether a file has this path, or a link to one.
  static func isRegularFile(_ path: BytePath) -> Bool {
    var status = stat()
    return withCString(path) { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether something has this path; a link counts, wherever it leads.
  static func exists(_ path: BytePath) -> Bool {
    var status = stat()
    return withCString(path) { lstat($0, &status) } == 0
  }

  /// The current directory of the process. nil when it was deleted or cannot be reached from the root.
  static func currentDirectory() -> BytePath? {
    guard let buffer = getcwd(nil, 0) else { return nil }
    defer { free(buffer) }
    let path = BytePath(UnsafeBufferPointer(start: buffer, count: strlen(buffer)).map { UInt8(bitPattern: $0) })
    return path.isAbsolute ? path : nil
  }

  @Sendable static func enter(_ folder: BytePath) throws(Errno) {
    guard withCString(folder, { chdir($0) }) == 0 else { throw Errno.current }
  }

  static func withCString<Result>(_ path: BytePath, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (path.bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { body($0.baseAddress!) }
  }
}
