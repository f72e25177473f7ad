// Finds the lines that match a pattern, in bytes that begin at the start of a line. Used by one thread.

internal import MementoSystem

struct LineMatcher: ~Copyable {
  private let pattern: SearchPattern
  private let expression: RegularExpression?

  init(_ pattern: SearchPattern) {
    self.pattern = pattern
    expression = LineMatcher.compiled(pattern)
  }

  /// Nil for a text. Nil also when memory is short, which `next` says: it was compiled once when the pattern was made.
  private static func compiled(_ pattern: SearchPattern) -> RegularExpression? {
    if pattern.literal != nil { return nil }
    return try? RegularExpression(pattern.expression, ignoringCase: pattern.ignoresCase)
  }

  /// The next line with a match, without its line break. `start` is the start of a line. Throws when memory is short.
  func next(in bytes: UnsafeRawBufferPointer, from start: Int) throws(Errno) -> Range<Int>? {
    var start = start
    while start < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      if let literal = pattern.literal {
        return ByteSearch.first(of: literal, in: rest).map { LineMatcher.line(of: start + $0, in: bytes, from: start) }
      }
      guard expression != nil else { throw .noMemory }
      let line: Range<Int>
      if !pattern.required.isEmpty {
        guard let found = ByteSearch.first(of: pattern.required, in: rest) else { return nil }
        line = LineMatcher.line(of: start + found, in: bytes, from: start)
      } else {
        guard let found = try expression?.first(in: rest) else { return nil }
        let first = start + found.lowerBound
        // An empty match behind the last line break is in no line.
        if first == bytes.count, bytes[first - 1] == UInt8(ascii: "\n") { return nil }
        line = LineMatcher.line(of: first, in: bytes, from: start)
        if start + found.upperBound <= line.upperBound { return line }
      }
      // The match must be in one line: a class such as [[:space:]] also matches a line break.
      if try expression?.first(in: UnsafeRawBufferPointer(rebasing: bytes[line])) != nil { return line }
      start = line.upperBound + 1
    }
    return nil
  }

  private static func line(of place: Int, in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int> {
    let newline = UInt8(ascii: "\n")
    let before = ByteSearch.last(newline, in: UnsafeRawBufferPointer(rebasing: bytes[start..<place]))
    let after = ByteSearch.first(newline, in: UnsafeRawBufferPointer(rebasing: bytes[place...]))
    return (before.map { start + $0 + 1 } ?? start)..<(after.map { place + $0 } ?? bytes.count)
  }
}
