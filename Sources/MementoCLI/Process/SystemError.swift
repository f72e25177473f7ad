// An error number of the C library, with its words.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  let code: Int32

  /// The error of the call that has just failed.
  static var last: SystemError { SystemError(code: errno) }

  /// There is nothing by that name.
  var isMissing: Bool { code == ENOENT }
  /// The path ends before its last name: a name on the way is missing, no folder, or closed to this user.
  var leadsNowhere: Bool { [ENOENT, ENOTDIR, EACCES, ELOOP, ENAMETOOLONG].contains(code) }
  var isFullDisk: Bool { code == ENOSPC }
  var isReadOnly: Bool { code == EROFS }
  var isOutOfDescriptors: Bool { code == EMFILE }

  var description: String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text)
  }
}
