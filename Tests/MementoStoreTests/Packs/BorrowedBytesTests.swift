import MementoSystem
import TestSupport
import Testing

@testable import MementoStore

struct BorrowedBytesTests {
  /// A pack whose blocks lie in files of other packs, and between them bytes of its own.
  private struct Pack {
    let directory: TemporaryDirectory
    let file: SharedDescriptor
    var borrowed = BorrowedBytes()
    var content: [UInt8] = []
    var origins: [SharedDescriptor] = []

    init() throws {
      directory = try TemporaryDirectory()
      try directory.write("pack", [])
      file = SharedDescriptor(try directory.descriptor.open("pack".bytes, .readWrite))
    }

    mutating func origin(_ bytes: [UInt8]) throws -> SharedDescriptor {
      let name = "origin\(origins.count)"
      try directory.write(name, bytes)
      let opened = SharedDescriptor(try directory.descriptor.open(name.bytes, .readWrite))
      origins.append(opened)
      return opened
    }

    mutating func write(_ bytes: [UInt8]) throws {
      try bytes.withUnsafeBytes { try file.descriptor.write($0, at: UInt64(content.count)) }
      content += bytes
    }

    /// Whether the bytes of `origin` were taken over.
    mutating func borrow(_ bytes: ArraySlice<UInt8>, of origin: SharedDescriptor) throws -> Bool {
      let place = try #require(BlockOrigin(PackReader(origin), UInt64(bytes.startIndex)))
      let candidate = bytes.withUnsafeBytes { BorrowedBytes.Candidate(place, $0) }
      guard let candidate, borrowed.add(candidate, at: UInt64(content.count)) else { return false }
      content += bytes
      return true
    }

    func read(_ range: Range<Int>) -> Result<[UInt8], Errno> {
      var bytes = [UInt8](repeating: 0xee, count: range.count)
      var outcome = Result<Void, Errno>.success(())
      bytes.withUnsafeMutableBytes { buffer in
        outcome = Result { () throws(Errno) in
          try borrowed.read(into: buffer, at: UInt64(range.lowerBound), around: file.descriptor)
        }
      }
      return outcome.map { bytes }
    }
  }

  private func sample(_ random: inout some RandomNumberGenerator) throws -> Pack {
    var pack = try Pack()
    try pack.write(Content.random(16, seed: 1))
    for number in 0..<5 {
      let bytes = Content.random(400_000, seed: UInt64(number))
      let origin = try pack.origin(bytes)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let start = Int.random(in: 0..<100_000, using: &random)
        // Also whole sectors.
        let length = Bool.random(using: &random) ? 65_536 : Int.random(in: 65_536...250_000, using: &random)
        #expect(try pack.borrow(bytes[start..<start + length], of: origin))
        if Bool.random(using: &random) {
          try pack.write(Content.random(Int.random(in: 1...70_000, using: &random), seed: UInt64(start)))
        }
      }
    }
    try pack.write(Content.random(3000, seed: 9))
    return pack
  }

  @Test(arguments: 0..<20) func isReadInAnyParts(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let pack = try sample(&random)
    let count = pack.content.count
    #expect(try pack.read(0..<count).get() == pack.content)
    for _ in 0..<200 {
      let start = Int.random(in: 0...count, using: &random)
      let end = min(count, start + Int.random(in: 0...200_000, using: &random))
      #expect(try pack.read(start..<end).get() == Array(pack.content[start..<end]))
    }
    #expect(pack.read(count - 5..<count + 1) == .failure(.invalid))
  }

  /// What was checked when it was taken over is what is read, or nothing is.
  @Test func whatHasChangedSinceIsNotRead() throws {
    var pack = try Pack()
    let bytes = Content.random(300_000, seed: 3)
    let origin = try pack.origin(bytes)
    try pack.write(Content.random(100, seed: 4))
    #expect(try pack.borrow(bytes[1000..<201_000], of: origin))
    // The second sector of 16 KiB.
    try [bytes[1000 + 20_000] ^ 1].withUnsafeBytes { try origin.descriptor.write($0, at: 21_000) }
    #expect(pack.read(0..<pack.content.count) == .failure(.stale))
    #expect(pack.read(100 + 30_000..<100 + 30_010) == .failure(.stale))
    #expect(pack.read(100 + 16_383..<100 + 16_385) == .failure(.stale))
    #expect(try pack.read(0..<100 + 16_384).get() == Array(pack.content[..<16_484]))
    #expect(try pack.read(100 + 32_768..<pack.content.count).get() == Array(pack.content[32_868...]))
    try origin.descriptor.truncate(to: 100_000)
    #expect(pack.read(150_000..<160_000) == .failure(.invalid))
  }

  @Test func smallBlocksAndManyFilesAreCopied() throws {
    var pack = try Pack()
    let bytes = Content.random(70_000, seed: 5)
    let first = try pack.origin(bytes)
    #expect(try !pack.borrow(bytes[..<65_535], of: first))
    #expect(try pack.borrow(bytes[..<65_536], of: first))
    for _ in 1..<16 { #expect(try pack.borrow(bytes[...], of: try pack.origin(bytes))) }
    #expect(try !pack.borrow(bytes[...], of: try pack.origin(bytes)))
    #expect(try pack.borrow(bytes[...], of: first))
    #expect(try pack.read(0..<pack.content.count).get() == pack.content)
  }
}
