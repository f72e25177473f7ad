import Crypto
import Testing

@testable import MementoSeal

struct ScryptTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let passphrase: String
    let salt: String
    let cost: UInt64
    let blockSize: UInt64
    let parallelism: UInt64
    let key: String

    var testDescription: String { "\(cost) \(blockSize) \(parallelism)" }
  }

  /// Section 12 of RFC 7914, without the one that needs a gibibyte.
  static let vectors = [
    Vector(
      passphrase: "", salt: "", cost: 16, blockSize: 1, parallelism: 1,
      key: "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
        + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"),
    Vector(
      passphrase: "password", salt: "NaCl", cost: 1024, blockSize: 8, parallelism: 16,
      key: "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
        + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"),
    Vector(
      passphrase: "pleaseletmein", salt: "SodiumChloride", cost: 16384, blockSize: 8, parallelism: 1,
      key: "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
        + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"),
  ]

  /// Three blocks go side by side: here the last ones are two, or one is large. By OpenSSL.
  static let furtherVectors = [
    Vector(
      passphrase: "x", salt: "y", cost: 16, blockSize: 3, parallelism: 2,
      key: "e79c027582dd06093485651de5d05f848b49482cb9cf3d1278eb069950ced03f"
        + "93900ff6a8e1b95675922b573557ef57bfac844bb570e078a93be0fbd98cb53a"),
    Vector(
      passphrase: "x", salt: "y", cost: 16, blockSize: 1, parallelism: 5,
      key: "aa36c4e769b4aea9be3c2ca9f14c4add33165f17412cc59c36e91afd0682d3f7"
        + "926e9b38e7a2aa5266c2e749cd1d1117738147e1520f55bddb0877c6c2c9c4db"),
    Vector(
      passphrase: "x", salt: "y", cost: 65536, blockSize: 8, parallelism: 2,
      key: "9f8670b7c66629106a004fbc0ca9b0b7f7ce3f940ea0179fce655d6e51bb3d04"
        + "5b44233ace8bcda7b2f1b57b7e1d8f15dfb68761033d313dab1d4c2afb7f705a"),
  ]

  @Test(arguments: vectors + furtherVectors) func isThatOfTheStandard(_ vector: Vector) throws {
    let parameters = try #require(
      ScryptParameters(cost: vector.cost, blockSize: vector.blockSize, parallelism: vector.parallelism))
    let key = Scrypt.key(
      from: SymmetricKey(data: Array(vector.passphrase.utf8)), salt: Array(vector.salt.utf8), parameters, byteCount: 64)
    #expect(key.withUnsafeBytes { Sample.hex($0) } == vector.key)
  }

  @Test func theStandardParametersAreAllowed() {
    #expect(ScryptParameters(cost: 32768, blockSize: 8, parallelism: 3) == .standard)
    #expect(ScryptParameters.standard.description == "32768 8 3")
  }

  @Test(
    arguments: [
      (0, 8, 3), (1, 8, 3), (32767, 8, 3), (32768, 0, 3), (32768, 8, 0), (1 << 21, 1, 1), (1 << 20, 64, 1),
      (1 << 20, 8, 3), (UInt64.max, 8, 3), (1 << 63, 8, 3), (32768, UInt64.max, 3), (32768, 8, UInt64.max),
      (2, 1 << 40, 1),
    ] as [(UInt64, UInt64, UInt64)])
  func refusesWhatCostsTooMuch(_ numbers: (UInt64, UInt64, UInt64)) {
    #expect(ScryptParameters(cost: numbers.0, blockSize: numbers.1, parallelism: numbers.2) == nil)
  }
}
