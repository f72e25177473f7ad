// A file that is replaced as a whole: written aside, flushed, renamed.

extension Descriptor {
  /// Replaces `name` in this directory by `bytes`. With `durable`, the content is on the medium before the name changes,
  /// and the name before this returns. A failed flush is final: the file aside is removed, nothing has changed.
  package func replaceFile(
    _ name: [UInt8], with bytes: [UInt8], aside: [UInt8], permissions: UInt32 = 0o600,
    durable: Bool
  ) throws(Errno) {
    try? removeFile(aside)  // if it stays, making it anew fails
    let file = try createOwned(aside, permissions: permissions)
    do throws(Errno) {
      try file.write(bytes)
      if durable { try file.flush() }
      try file.finish()
      try rename(aside, to: name, in: self)
    } catch {
      try? removeFile(aside)  // the next replacement removes it
      throw error
    }
    if durable { try flushDirectory() }
  }

  /// The content of a regular file here, up to `limit` bytes; nil when there is no such name. Links are not followed.
  package func contents(of name: [UInt8], limit: Int = 1 << 30) throws(Errno) -> [UInt8]? {
    do throws(Errno) {
      let file = try open(name, .read)
      guard try file.status().isRegular else { throw .invalid }
      return try file.contents(limit: limit)
    } catch {
      if error == .notFound { return nil }
      throw error
    }
  }
}
