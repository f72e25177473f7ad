// What the error numbers of a file system mean to a remote.

internal import MementoSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension ObjectError {
  /// An error with an object. `.notFound` says that it is not there.
  init(_ error: Errno, _ name: ObjectName) {
    switch error {
    case .notFound: self = .notFound(name)
    case .notDirectory, .loop: self.init(.failed, name, "\(name) is not a file in a folder, or is reached by a link")
    default: self.init(Kind(error), name, "\(name): \(error.message)")
    }
  }

  /// An error with the folder itself.
  init(_ error: Errno, opening folder: String) {
    self.init(Kind(error), nil, "\(folder): \(error.message)")
  }
}

extension ObjectError.Kind {
  fileprivate init(_ error: Errno) {
    switch error {
    case .permissionDenied, .notPermitted, .readOnly: self = .denied
    case .noSpace, .quotaExceeded: self = .full
    case .tooManyOpenFiles, Errno(ENFILE), Errno(ENOMEM): self = .local
    case .stale, Errno(ETIMEDOUT), Errno(EHOSTDOWN), Errno(EHOSTUNREACH), Errno(ENETUNREACH), Errno(ENOTCONN),
      Errno(ECONNRESET), Errno(ECONNREFUSED):
      self = .unreachable
    default: self = .failed
    }
  }
}
