import MementoModel
import TestSupport
import Testing

struct ByteReaderTests {
  static let numbers: [UInt64] = [
    0, 1, 127, 128, 255, 16_383, 16_384, 1 << 21, (1 << 28) - 1, 1 << 35, 1 << 42, 1 << 49, 1 << 56,
    (1 << 63) - 1, 1 << 63, .max,
  ]

  @Test(arguments: numbers)
  func numbersComeBack(_ number: UInt64) throws {
    var writer = ByteWriter()
    writer.varint(number)
    #expect(writer.bytes.count == max(1, (64 - number.leadingZeroBitCount + 6) / 7))
    var reader = ByteReader(writer.bytes)
    #expect(try reader.varint() == number)
    #expect(reader.isAtEnd)
  }

  @Test func anyNumberComesBack() throws {
    var generator = SplitMix64(seed: 1)
    var numbers: [UInt64] = []
    var writer = ByteWriter()
    for _ in 0..<3000 {
      let number = generator.next() >> (generator.next() % 64)
      numbers.append(number)
      writer.varint(number)
      writer.signedVarint(Int64(bitPattern: number))
      writer.u32(UInt32(truncatingIfNeeded: number))
      writer.u64(number)
      writer.u8(UInt8(truncatingIfNeeded: number))
    }
    var reader = ByteReader(writer.bytes)
    for number in numbers {
      #expect(try reader.varint() == number)
      #expect(try reader.signedVarint() == Int64(bitPattern: number))
      #expect(try reader.u32() == UInt32(truncatingIfNeeded: number))
      #expect(try reader.u64() == number)
      #expect(try reader.u8() == UInt8(truncatingIfNeeded: number))
    }
    #expect(reader.isAtEnd)
  }

  @Test(
    arguments: [
      (Int64(0), [0x00]), (-1, [0x01]), (1, [0x02]), (-2, [0x03]), (63, [0x7e]), (-64, [0x7f]),
      (64, [0x80, 0x01]), (.max, [0xfe] + [UInt8](repeating: 0xff, count: 8) + [0x01]),
      (.min, [0xff] + [UInt8](repeating: 0xff, count: 8) + [0x01]),
    ] as [(Int64, [UInt8])])
  func zigzag(_ number: Int64, _ bytes: [UInt8]) throws {
    var writer = ByteWriter()
    writer.signedVarint(number)
    #expect(writer.bytes == bytes)
    var reader = ByteReader(bytes)
    #expect(try reader.signedVarint() == number)
  }

  /// Numbers of more than 64 bits, and numbers encoded in more bytes than they need.
  @Test(arguments: [
    [UInt8](repeating: 0xff, count: 9) + [0x02],
    [UInt8](repeating: 0xff, count: 9) + [0x7f],
    [UInt8](repeating: 0xff, count: 10) + [0x01],
    [UInt8](repeating: 0x80, count: 10) + [0x01],
    [UInt8](repeating: 0xff, count: 40),
    [0x80, 0x00],
    [0xff, 0x00],
    [0x81, 0x80, 0x00],
    [UInt8](repeating: 0x80, count: 9) + [0x00],
  ])
  func refusesOtherForms(_ bytes: [UInt8]) {
    #expect(throws: FormatError.self) {
      var reader = ByteReader(bytes)
      _ = try reader.varint()
    }
  }

  @Test func refusesWhatEndsTooEarly() {
    var writer = ByteWriter()
    writer.varint(.max)
    for length in 0..<writer.bytes.count {
      #expect(throws: FormatError.truncated) {
        var reader = ByteReader(Array(writer.bytes.prefix(length)))
        _ = try reader.varint()
      }
    }
    for length in 0..<32 {
      let bytes = [UInt8](repeating: 1, count: length)
      #expect(throws: FormatError.truncated) {
        var reader = ByteReader(bytes)
        _ = try reader.id()
      }
      #expect(throws: FormatError.truncated) {
        var reader = ByteReader(bytes)
        _ = try reader.take(length + 1)
      }
      if length < 8 {
        #expect(throws: FormatError.truncated) {
          var reader = ByteReader(bytes)
          _ = try reader.u64()
        }
      }
      if length < 4 {
        #expect(throws: FormatError.truncated) {
          var reader = ByteReader(bytes)
          _ = try reader.u32()
        }
      }
    }
  }

  @Test func aCountKeepsToItsLimit() throws {
    for (number, limit, fits) in [(5, 5, true), (6, 5, false), (0, 0, true), (1, 0, false)] as [(UInt64, Int, Bool)] {
      var writer = ByteWriter()
      writer.varint(number)
      var reader = ByteReader(writer.bytes)
      #expect((try? reader.count(atMost: limit)) == (fits ? Int(number) : nil))
    }
    for number in [UInt64(1) << 63, .max, UInt64(Int.max)] {
      var writer = ByteWriter()
      writer.varint(number)
      #expect(throws: FormatError.self) {
        var reader = ByteReader(writer.bytes)
        _ = try reader.count(atMost: 1 << 40)
      }
    }
  }

  @Test(arguments: [-1, 11, Int.max, Int.min])
  func takesOnlyWhatIsThere(_ count: Int) {
    #expect(throws: FormatError.truncated) {
      var reader = ByteReader(Content.zeros(10))
      _ = try reader.take(count)
    }
    #expect(throws: FormatError.truncated) {
      var reader = ByteReader(Content.zeros(10))
      try reader.skip(count)
    }
  }

  @Test func staysInItsRange() throws {
    let bytes: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 7]
    var reader = try ByteReader(bytes, in: 2..<5)
    #expect(reader.remaining == 3)
    #expect(try reader.take(3) == [2, 3, 4])
    #expect(reader.isAtEnd)
    #expect(throws: FormatError.truncated) { _ = try reader.u8() }
    #expect(throws: FormatError.truncated) { _ = try ByteReader(bytes, in: 2..<9) }
    #expect(throws: FormatError.truncated) { _ = try ByteReader(bytes, in: -1..<3) }
  }

  @Test func idsAndBytesComeBack() throws {
    let id = ObjectID(hashing: "x".bytes)
    var writer = ByteWriter(capacity: 1)
    writer.append([9, 9])
    writer.id(id)
    [UInt8](arrayLiteral: 7, 8).withUnsafeBytes { writer.append($0) }
    var reader = ByteReader(writer.bytes)
    try reader.skip(2)
    #expect(try reader.id() == id)
    #expect(try reader.take(2) == [7, 8])
    #expect(reader.position == 36)
  }
}
