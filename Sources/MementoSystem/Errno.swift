// The error number of a failed system call. The caller knows the operation and the file, and adds them.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// An error number of the C library.
package struct Errno: Error, Hashable, Sendable {
  package let code: Int32

  package init(_ code: Int32) {
    self.code = code
  }

  /// The error number of the call that just failed on this thread.
  package static var current: Errno { Errno(errno) }

  package static let notFound = Errno(ENOENT)
  package static let exists = Errno(EEXIST)
  package static let notDirectory = Errno(ENOTDIR)
  package static let isDirectory = Errno(EISDIR)
  package static let notEmpty = Errno(ENOTEMPTY)
  package static let loop = Errno(ELOOP)
  package static let noDevice = Errno(ENXIO)
  package static let permissionDenied = Errno(EACCES)
  package static let notPermitted = Errno(EPERM)
  package static let readOnly = Errno(EROFS)
  package static let crossDevice = Errno(EXDEV)
  package static let invalid = Errno(EINVAL)
  package static let notImplemented = Errno(ENOSYS)
  package static let notSupported = Errno(ENOTSUP)
  package static let busy = Errno(EBUSY)
  package static let interrupted = Errno(EINTR)
  package static let wouldBlock = Errno(EWOULDBLOCK)
  package static let tooManyOpenFiles = Errno(EMFILE)
  package static let tooLarge = Errno(EFBIG)
  package static let noSpace = Errno(ENOSPC)
  package static let quotaExceeded = Errno(EDQUOT)
  package static let input = Errno(EIO)
  package static let noMemory = Errno(ENOMEM)
  package static let stale = Errno(ESTALE)
  package static let timedOut = Errno(ETIMEDOUT)
  package static let rangeError = Errno(ERANGE)
  /// A file of the store has content with a wrong checksum.
  package static let badMessage = Errno(EBADMSG)
  package static let connectionReset = Errno(ECONNRESET)
  package static let nameTooLong = Errno(ENAMETOOLONG)

  /// Whether there is no room for what was to be written: on the disk, or in the user's share of it.
  package var isNoSpace: Bool { self == .noSpace || self == .quotaExceeded }

  /// The message of the C library, such as "No such file or directory".
  package var message: String { String(cString: strerror(code)) }
}

extension Errno: CustomStringConvertible {
  package var description: String { message }
}

/// Calls `body` again while a signal interrupts it (EINTR). Throws any other error number when `body` returns -1.
@inline(__always)
package func retrying<Result: FixedWidthInteger & SignedInteger>(
  _ body: () -> Result
) throws(Errno) -> Result {
  while true {
    let result = body()
    if result != -1 { return result }
    let error = Errno.current
    if error != .interrupted { throw error }
  }
}
