import MementoStore
import TestSupport
import Testing

@testable import MementoKit

struct StateListingTests {
  /// So many states are decoded in several pieces, on all cores.
  @Test func manyStatesComeInOrderEachWithItsOwnRecord() throws {
    let shop = try RepositoryFixture()
    let names = (0..<2300).map { "state\(10_000 + $0)" }
    try shop.repository.saveValues(
      names.enumerated().map { NamedValue(name: $1, bytes: [UInt8](repeating: 0x61, count: $0)) })
    let listed = try shop.repository.states()
    #expect(listed.map(\.name) == names)
    #expect(listed.map(\.snapshot.bytes) == names.indices.map(UInt64.init))
    #expect(listed.map(\.snapshot.name) == names)
    #expect(listed.allSatisfy { $0.problem == nil })
  }
}
