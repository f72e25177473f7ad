// Reads a small file as a whole.

extension Descriptor {
  /// The content of a regular file in this directory; nil when there is no such name. Throws `.rangeError` when it has
  /// more than `limit` bytes, and `.invalid` when it is not a regular file. A link is not followed.
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
