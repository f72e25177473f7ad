// Looks for a pattern in the hunks of a text.

internal import MementoSystem

extension TextDiff {
  /// Whether a line of a hunk matches a pattern, in the old text or in the new one.
  public func hasMatch(of pattern: SearchPattern, in hunk: Hunk) throws(RepositoryError) -> Bool {
    var lines: [UInt8] = []
    forEachLine(of: hunk) { _, line in
      lines += line
      if line.last != UInt8(ascii: "\n") { lines.append(UInt8(ascii: "\n")) }
    }
    let matcher = LineMatcher(pattern)
    do throws(Errno) {
      return try lines.withUnsafeBufferPointer { (bytes) throws(Errno) -> Bool in
        try matcher.next(in: UnsafeRawBufferPointer(bytes), from: 0) != nil
      }
    } catch {
      throw RepositoryError(.system, "cannot search: \(error)", systemError: error.code)
    }
  }
}
