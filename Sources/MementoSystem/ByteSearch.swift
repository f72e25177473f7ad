// Finds text in bytes, with the functions of the C library. They know nothing of a locale: a byte is a character.

internal import CMementoSystem

/// Searches for bytes that are known.
package enum ByteSearch {
  /// The offset of the first place that has `needle`. Nil when there is none.
  package static func first(of needle: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
    if needle.isEmpty { return 0 }
    guard let start = bytes.baseAddress, bytes.count >= needle.count else { return nil }
    let found = cs_find(start, bytes.count, needle, needle.count)
    return found < 0 ? nil : found
  }

  /// The offset of the first byte of this value. Nil when there is none.
  package static func first(_ byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress else { return nil }
    let found = cs_first_byte(start, bytes.count, byte)
    return found < 0 ? nil : found
  }

  /// The offset of the last byte of this value. Nil when there is none.
  package static func last(_ byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress else { return nil }
    let found = cs_last_byte(start, bytes.count, byte)
    return found < 0 ? nil : found
  }
}

/// An extended regular expression of POSIX that has been compiled. `^` and `$` also match at line breaks, and `.` matches
/// none. The C library locks it while it is used, so each thread has its own.
package struct RegularExpression: ~Copyable {
  /// Why a text is no regular expression, as a phrase: "Unmatched ( or \\(".
  package struct Failure: Error {
    package let reason: String
  }

  private let compiled: UnsafeMutableRawPointer

  /// `pattern` has no NUL.
  package init(_ pattern: [UInt8], ignoringCase: Bool) throws(Failure) {
    var why = [CChar](repeating: 0, count: 256)
    let text = pattern.map { CChar(bitPattern: $0) } + [0]
    guard let made = cs_regex_new(text, ignoringCase ? 1 : 0, &why, why.count - 1) else {
      throw Failure(reason: String(decoding: why.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    compiled = made
  }

  deinit {
    cs_regex_free(compiled)
  }

  /// The first match. Nil when there is none. Throws when memory is short.
  package func first(in bytes: UnsafeRawBufferPointer) throws(Errno) -> Range<Int>? {
    var start = 0
    var end = 0
    switch cs_regex_find(compiled, bytes.baseAddress, bytes.count, &start, &end) {
    case 0: return nil
    case 1: return start..<end
    default: throw .noMemory
    }
  }
}
