// XXH64 with seed 0. It finds damage in sectors; whether healed bytes are right is for SHA-256 to say.

enum SectorChecksum {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// The low half of the XXH64 of a sector.
  static func of(sector bytes: UnsafeRawBufferPointer) -> UInt32 {
    UInt32(truncatingIfNeeded: xxh64(bytes))
  }

  /// The XXH64 of some bytes.
  static func xxh64(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let count = bytes.count
    guard let start = bytes.baseAddress else { return finish(prime5, UnsafeRawBufferPointer(start: nil, count: 0)) }
    guard count >= 32 else { return finish(prime5 &+ UInt64(count), bytes) }
    var one = prime1 &+ prime2
    var two = prime2
    var three: UInt64 = 0
    var four = 0 &- prime1
    var place = 0
    let last = count - 32
    while place <= last {
      one = round(one, word(start, place))
      two = round(two, word(start, place + 8))
      three = round(three, word(start, place + 16))
      four = round(four, word(start, place + 24))
      place += 32
    }
    var sum = rotated(one, 1) &+ rotated(two, 7) &+ rotated(three, 12) &+ rotated(four, 18)
    sum = merged(sum, one)
    sum = merged(sum, two)
    sum = merged(sum, three)
    sum = merged(sum, four)
    return finish(sum &+ UInt64(count), UnsafeRawBufferPointer(rebasing: bytes[place...]))
  }

  private static func finish(_ start: UInt64, _ rest: UnsafeRawBufferPointer) -> UInt64 {
    var sum = start
    var place = 0
    if let bytes = rest.baseAddress {
      while place + 8 <= rest.count {
        sum = rotated(sum ^ round(0, word(bytes, place)), 27) &* prime1 &+ prime4
        place += 8
      }
      if place + 4 <= rest.count {
        let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
        sum = rotated(sum ^ (UInt64(half) &* prime1), 23) &* prime2 &+ prime3
        place += 4
      }
      while place < rest.count {
        sum = rotated(sum ^ (UInt64(rest[place]) &* prime5), 11) &* prime1
        place += 1
      }
    }
    sum = (sum ^ (sum >> 33)) &* prime2
    sum = (sum ^ (sum >> 29)) &* prime3
    return sum ^ (sum >> 32)
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawPointer, _ place: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotated(lane &+ word &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func merged(_ sum: UInt64, _ lane: UInt64) -> UInt64 {
    (sum ^ round(0, lane)) &* prime1 &+ prime4
  }

  @inline(__always)
  private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    (value << bits) | (value >> (64 - bits))
  }
}
