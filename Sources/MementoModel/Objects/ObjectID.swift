// The name of a blob: the SHA-256 of its bytes (FIPS 180-4) and nothing else, so `sha256sum` can check it.

/// 32 bytes as four big-endian words, so that comparing words compares bytes.
package struct ObjectID: Hashable, Sendable {
  package let words: (UInt64, UInt64, UInt64, UInt64)

  @inlinable package init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
    words = (first, second, third, fourth)
  }

  /// The first 32 bytes at `bytes`.
  @inlinable package init(loading bytes: UnsafeRawPointer) {
    words = (
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
    )
  }

  /// The number of bytes in an id.
  @inlinable package static var size: Int { 32 }

  @inlinable package static func == (left: ObjectID, right: ObjectID) -> Bool {
    left.words == right.words
  }

  @inlinable package func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)  // already uniform
    hasher.combine(words.1)
  }

  /// An id of zeros. No stored blob has it.
  @inlinable package static var zero: ObjectID { ObjectID(0, 0, 0, 0) }

  /// Writes the 32 bytes to memory.
  @inlinable package func store(to bytes: UnsafeMutableRawPointer) {
    bytes.storeBytes(of: words.0.bigEndian, toByteOffset: 0, as: UInt64.self)
    bytes.storeBytes(of: words.1.bigEndian, toByteOffset: 8, as: UInt64.self)
    bytes.storeBytes(of: words.2.bigEndian, toByteOffset: 16, as: UInt64.self)
    bytes.storeBytes(of: words.3.bigEndian, toByteOffset: 24, as: UInt64.self)
  }
}

extension ObjectID: Comparable {
  /// The 32 bytes.
  package var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: ObjectID.size) { bytes, count in
      if let start = bytes.baseAddress { store(to: start) }
      count = ObjectID.size
    }
  }

  @inlinable package static func < (left: ObjectID, right: ObjectID) -> Bool {
    left.words < right.words
  }
}

extension ObjectID: CustomStringConvertible {
  /// 64 hex digits, lower case.
  package var description: String {
    let digits = hexDigits
    return String(unsafeUninitializedCapacity: 64) { buffer in
      withUnsafeBytes(of: digits) { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
      return 64
    }
  }

  /// Appends the 64 hex digits.
  package func appendHex(to bytes: inout [UInt8]) {
    withUnsafeBytes(of: hexDigits) { bytes.append(contentsOf: $0) }
  }

  /// The 64 hex digits as they are in memory, eight in each word. This is fast, since `refs` may have ten thousand ids.
  private var hexDigits: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) {
    func digits(_ word: UInt64) -> UInt64 { HexDigits.text(UInt32(truncatingIfNeeded: word)).bigEndian }
    return (
      digits(words.0 >> 32), digits(words.0), digits(words.1 >> 32), digits(words.1),
      digits(words.2 >> 32), digits(words.2), digits(words.3 >> 32), digits(words.3)
    )
  }

  /// The first 12 hex digits, for people.
  package var short: String { String(description.prefix(12)) }

  /// Whether the id begins with these hex digits.
  package func begins(with digits: [UInt8]) -> Bool {
    guard digits.count <= 64 else { return false }
    for (index, digit) in digits.enumerated() {
      let word = index < 32 ? (index < 16 ? words.0 : words.1) : (index < 48 ? words.2 : words.3)
      if hexValue(digit) != UInt8(truncatingIfNeeded: word >> UInt64(60 - index % 16 * 4)) & 15 { return false }
    }
    return true
  }

  /// Reads 64 hex digits. Nil for anything else.
  @inlinable package init?(_ hex: some Collection<UInt8>) {
    guard hex.count == 64 else { return nil }
    let id = hex.withContiguousStorageIfAvailable { ObjectID(digits: $0) }
    guard let id = id ?? Array(hex).withUnsafeBufferPointer({ ObjectID(digits: $0) }) else { return nil }
    self = id
  }

  /// `digits`: 64 bytes.
  @usableFromInline init?(digits: UnsafeBufferPointer<UInt8>) {
    let digits = UnsafeRawBufferPointer(digits)
    func word(_ start: Int) -> UInt64? {
      guard let high = HexDigits.value(UInt64(bigEndian: digits.loadUnaligned(fromByteOffset: start, as: UInt64.self))),
        let low = HexDigits.value(UInt64(bigEndian: digits.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)))
      else { return nil }
      return UInt64(high) << 32 | UInt64(low)
    }
    guard let first = word(0), let second = word(16), let third = word(32), let fourth = word(48) else { return nil }
    self.init(first, second, third, fourth)
  }

  package init?(hex: String) {
    self.init(Array(hex.utf8))
  }
}
