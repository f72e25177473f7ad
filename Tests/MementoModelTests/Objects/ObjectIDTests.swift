import MementoModel
import TestSupport
import Testing

struct ObjectIDTests {
  /// The examples that NIST published for FIPS 180-4.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func hashesAsTheStandardSays(_ text: String, _ hex: String) {
    #expect(ObjectID(hashing: text.bytes).description == hex)
  }

  @Test func hashesPiecesAsTheWhole() {
    let bytes = Content.random(10_000, seed: 1)
    let whole = ObjectID(hashing: bytes)
    for size in [1, 63, 64, 65, 4096, 10_000] {
      var hasher = ContentHasher()
      var rest = bytes[...]
      while !rest.isEmpty {
        hasher.update(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      #expect(hasher.finish() == whole)
    }
    #expect(ContentHasher().finish() == ObjectID(hashing: []))
  }

  @Test func comesBackFromHexAndBytes() {
    var generator = SplitMix64(seed: 2)
    for _ in 0..<200 {
      let bytes = generator.bytes(ObjectID.size)
      let id = bytes.withUnsafeBytes { ObjectID(loading: $0.baseAddress!) }
      let stored = [UInt8](unsafeUninitializedCapacity: ObjectID.size) { buffer, count in
        id.store(to: buffer.baseAddress!)
        count = ObjectID.size
      }
      #expect(stored == bytes)
      #expect(ObjectID(hex: id.description) == id)
      #expect(ObjectID(hex: id.description.uppercased()) == id)
      #expect(id.description.hasPrefix(id.short))
      #expect(id.short.count == 12)
    }
  }

  @Test func isOrderedAsItsBytes() {
    var generator = SplitMix64(seed: 3)
    var all = (0..<100).map { _ in generator.bytes(ObjectID.size) }
    // Ids that differ in one byte, to test the order within each word.
    for place in 0..<ObjectID.size {
      var near = all[0]
      near[place] ^= 0x80
      all.append(near)
    }
    let ids = all.map { bytes in bytes.withUnsafeBytes { ObjectID(loading: $0.baseAddress!) } }
    let sorted = all.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(ids.sorted().map(\.description) == sorted.map(hex))
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { !($0 < $0) })
  }

  @Test(arguments: [
    "", "abc", String(repeating: "a", count: 63), String(repeating: "a", count: 65),
    String(repeating: "a", count: 63) + "g", String(repeating: "a", count: 63) + " ",
    "0x" + String(repeating: "a", count: 62), String(repeating: "é", count: 32),
  ])
  func refusesWhatIsNoID(_ text: String) {
    #expect(ObjectID(hex: text) == nil)
  }

  @Test func noContentHasTheZeroID() {
    #expect(ObjectID.zero.description == String(repeating: "0", count: 64))
    #expect(ObjectID.zero != ObjectID(hashing: []))
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func beginsWithItsDigits() throws {
    let id = ObjectID(hashing: "x".bytes)
    let digits = id.description.bytes
    for count in 0...64 {
      #expect(id.begins(with: Array(digits.prefix(count))))
      #expect(id.begins(with: id.description.uppercased().bytes.prefix(count).map { $0 }))
    }
    for place in 0..<64 {
      var other = digits
      other[place] = other[place] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
      #expect(!id.begins(with: other))
      other[place] = UInt8(ascii: "g")
      #expect(!id.begins(with: other))
    }
    #expect(!id.begins(with: digits + digits))
  }
}
