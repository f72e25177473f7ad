// The header of an entry: a block of 512 bytes with fields of fixed width. See "ustar Interchange Format" in POSIX.1-2001.

package struct TarBlock: Sendable {
  package static let size = 512
  /// Archives are padded to a multiple of this, the record of tapes.
  package static let record = 20 * size

  /// A field of the header.
  package struct Field: Sendable {
    package let range: Range<Int>

    init(_ range: Range<Int>) {
      self.range = range
    }

    package static let name = Field(0..<100)
    package static let mode = Field(100..<108)
    package static let user = Field(108..<116)
    package static let group = Field(116..<124)
    package static let size = Field(124..<136)
    package static let modified = Field(136..<148)
    package static let checksum = Field(148..<156)
    package static let target = Field(157..<257)
    package static let magic = Field(257..<265)
    package static let major = Field(329..<337)
    package static let minor = Field(337..<345)
    package static let prefix = Field(345..<500)
  }

  private static let kindOffset = 156

  package var bytes: [UInt8]

  /// A header of zeros.
  package init() {
    bytes = [UInt8](repeating: 0, count: TarBlock.size)
  }

  /// `bytes`: 512 of them.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The type of the entry: a character.
  package var kind: UInt8 {
    get { bytes[TarBlock.kindOffset] }
    set { bytes[TarBlock.kindOffset] = newValue }
  }

  package var isZero: Bool { bytes.allSatisfy { $0 == 0 } }

  /// The bytes of a field up to the first NUL.
  package func text(_ field: Field) -> [UInt8] {
    Array(bytes[field.range].prefix { $0 != 0 })
  }

  package func raw(_ field: Field) -> ArraySlice<UInt8> { bytes[field.range] }

  /// Puts text into a field, as much as there is room for.
  package mutating func put(_ text: some Collection<UInt8>, in field: Field) {
    for (offset, byte) in zip(field.range, text) { bytes[offset] = byte }
  }

  /// Puts a number into a field: octal digits and a NUL. Returns false, and puts 0, when there are too few digits.
  @discardableResult
  package mutating func put(_ number: UInt64, in field: Field) -> Bool {
    let digits = field.range.count - 1
    let fits = number >> UInt64(3 * digits) == 0
    var rest = fits ? number : 0
    for offset in field.range.dropLast().reversed() {
      bytes[offset] = UInt8(ascii: "0") + UInt8(rest & 7)
      rest >>= 3
    }
    return fits
  }

  /// The sum of all bytes, with spaces in the place of the sum. Very old programs added signed bytes.
  private var sums: (unsigned: Int64, signed: Int64) {
    var unsigned: Int64 = 0
    var signed: Int64 = 0
    for (offset, byte) in bytes.enumerated() {
      let byte = Field.checksum.range.contains(offset) ? UInt8(ascii: " ") : byte
      unsigned += Int64(byte)
      signed += Int64(Int8(bitPattern: byte))
    }
    return (unsigned, signed)
  }

  /// Puts the checksum in. All else is in its place by now.
  package mutating func seal() {
    let sum = sums.unsigned
    var rest = sum
    for offset in Field.checksum.range.prefix(6).reversed() {
      bytes[offset] = UInt8(ascii: "0") + UInt8(rest & 7)
      rest >>= 3
    }
    bytes[Field.checksum.range.lowerBound + 6] = 0
    bytes[Field.checksum.range.lowerBound + 7] = UInt8(ascii: " ")
  }

  /// Whether the checksum is right.
  package var isSealed: Bool {
    guard let sum = TarNumber.parse(raw(.checksum)) else { return false }
    let sums = sums
    return sum == sums.unsigned || sum == sums.signed
  }

  /// Bytes that follow a content of so many bytes, up to the next block.
  package static func padding(after size: UInt64) -> Int {
    Int((UInt64(TarBlock.size) - size % UInt64(TarBlock.size)) % UInt64(TarBlock.size))
  }
}

/// The numbers of a header.
package enum TarNumber {
  /// Octal digits between spaces and NULs, or GNU's base 256: the highest bit is set, and the rest is the number, in two's
  /// complement. An empty field is 0. Nil: neither, or more than 63 bits.
  package static func parse(_ field: ArraySlice<UInt8>) -> Int64? {
    guard let first = field.first else { return 0 }
    if first & 0x80 != 0 { return base256(field) }
    var value: Int64 = 0
    let digits = field.drop { $0 == UInt8(ascii: " ") || $0 == 0 }
    var rest = digits
    while let digit = rest.first, digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "7") {
      guard value >> 60 == 0 else { return nil }
      value = value << 3 | Int64(digit - UInt8(ascii: "0"))
      rest = rest.dropFirst()
    }
    guard let end = rest.first else { return value }
    return end == UInt8(ascii: " ") || end == 0 ? value : nil
  }

  private static func base256(_ field: ArraySlice<UInt8>) -> Int64? {
    guard let first = field.first else { return nil }
    let isNegative = first & 0x40 != 0
    var value: Int64 = isNegative ? -1 : 0
    for (number, byte) in field.enumerated() {
      // The highest bit only says that this is base 256.
      let byte = number == 0 ? (isNegative ? byte : byte & 0x7f) : byte
      let (product, overflow) = value.multipliedReportingOverflow(by: 256)
      if overflow { return nil }
      value = product | Int64(byte)
    }
    return value
  }
}
