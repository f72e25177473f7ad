// Keeps the recovery key of a new remote: in a file, or shows it on the terminal. It is shown this once, and is never
// written where the user does not expect it.

import MementoKit
import MementoSystem
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

final class RecoveryKeyKeeper: Sendable {
  /// The file to write; nil for none.
  let path: BytePath?
  /// Whether there is a terminal on which the key can be shown.
  let canShow: Bool
  /// The file, made before the remote is.
  private let file = Mutex<Int32>(-1)

  /// `path` is absolute.
  init(path: BytePath?, canShow: Bool) {
    self.path = path
    self.canShow = canShow
  }

  deinit {
    let file = file.withLock(\.self)
    if file >= 0 { close(file) }
  }

  /// Called before a new remote is made: makes the file, or throws when the key could not be kept.
  func prepare() throws(RepositoryError) {
    guard let path else {
      if canShow { return }
      throw RepositoryError(
        .invalidArgument, "there is no terminal to show the recovery key on, so nothing was made",
        reason: .unkeptRecoveryKey)
    }
    let new = Paths.withCString(path) { open($0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
    guard new >= 0 else {
      let error = Errno.current
      throw RepositoryError(
        .system, "cannot make \(TerminalText.escaped(path)) for the recovery key: \(error)", path: path,
        systemError: error.code)
    }
    file.withLock { $0 = new }
  }

  /// Writes the key. Returns false when there is no file to write it to, or it cannot be written.
  func write(_ key: String) -> Bool {
    let bytes = Array((key + "\n").utf8)
    return file.withLock { file in
      guard file >= 0 else { return false }
      var done = 0
      while done < bytes.count {
        let count = bytes[done...].withUnsafeBytes { Self.write(file, $0) }
        if count < 0 {
          if errno == EINTR { continue }
          return false
        }
        done += count
      }
      return fsync(file) == 0
    }
  }

  /// Removes the file again when there is no key to write.
  func discard() {
    let isMade = file.withLock(\.self) >= 0
    if isMade, let path { _ = Paths.withCString(path) { unlink($0) } }
  }

  private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    systemWrite(descriptor, bytes.baseAddress, bytes.count)
  }
}

/// The function of C, which the methods above hide by their names.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
