// Each decoder reads what the fuzzer has found, and mutations of it. `make fuzz` looks for more.

import FuzzTargets
import MementoSystem
import TestSupport
import Testing

struct FuzzCorpusTests {
  /// The inputs of a target.
  private func inputs(_ target: FuzzTarget) throws -> [[UInt8]] {
    let tests = "/Tests/FuzzCorpusTests.swift".utf8.count
    let path = "\(#filePath)".dropLast(tests) + "/Corpus/\(target.name)"
    let folder = try Descriptor.open(Array(path.utf8), .namedDirectory)
    let listing = try DirectoryListing(reading: folder)
    return try (0..<listing.count).map { try folder.contents(of: Array(listing.name(at: $0))) ?? [] }
  }

  @Test(arguments: FuzzTarget.all.map(\.name))
  func theCorpusIsRead(_ name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let inputs = try inputs(target)
    #expect(!inputs.isEmpty, "\(name) has no inputs")
    let decode = try target.make()
    for input in inputs { decode(input) }
  }

  /// The same mutations each time: bytes are changed, put in and taken out.
  @Test(arguments: FuzzTarget.all.map(\.name))
  func mutationsAreRead(_ name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let decode = try target.make()
    var random = SplitMix64(seed: 0x6d65_6d65)
    for input in try inputs(target) where !input.isEmpty {
      for _ in 0..<20 {
        var bytes = input
        for _ in 0...Int(random.next() % 4) {
          let place = Int(random.next() % UInt64(bytes.count))
          switch random.next() % 4 {
          case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
          case 1: bytes[place] ^= 1 << UInt8(random.next() % 8)
          case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
          default: if bytes.count > 1 { bytes.removeSubrange(place..<min(bytes.count - 1, place + 4)) }
          }
        }
        decode(bytes)
      }
    }
  }
}
