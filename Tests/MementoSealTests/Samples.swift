// What the tests seal, and with what.

import Crypto
import MementoObjects
import Testing

@testable import MementoSeal

enum Sample {
  /// The bytes 0, 1, 2 and so on.
  static let key = counting(from: 0, 32)
  static let salt = counting(from: 32, 32)

  static func counting(from first: UInt8, _ count: Int) -> [UInt8] { (0..<count).map { first &+ UInt8($0 & 255) } }

  static func master() throws -> MasterKey { try #require(MasterKey(SymmetricKey(data: key))) }

  static func otherMaster() throws -> MasterKey { try #require(MasterKey(SymmetricKey(data: counting(from: 1, 32)))) }

  static func name(_ text: String) throws -> ObjectName { try #require(ObjectName(text)) }

  static let pack = "packs/0a/0a" + String(repeating: "3f", count: 31)

  /// Bytes that differ from each other and from those of another seed.
  static func content(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state >> 24)
    }
  }

  static func hex(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Hexadecimal.text(bytes), as: UTF8.self) }

  static func bytes(_ hex: String) throws -> [UInt8] { try #require(Hexadecimal.bytes(Array(hex.utf8))) }
}
