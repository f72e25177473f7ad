import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct BisectRangeTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    for number in 1...5 {
      try write("\(number)")
      try shop.save("s\(number)")
    }
  }

  private func write(_ text: String) throws { try shop.folder.write("file".bytes, text.bytes) }

  private func names(_ range: BisectRange) -> [String] { range.states.map { $0.names.first ?? "-" } }

  @Test func parentsAreALine() throws {
    let range = try shop.repository.bisectRange(from: "s2", to: "s5")
    #expect(range.order == .parents && names(range) == ["s2", "s3", "s4", "s5"] && range.equal == 0)
  }

  /// What was undone and left behind is not between two states of the line.
  @Test func branchesAreLeftOut() throws {
    try shop.restore("s2")
    try write("6")
    try shop.save("s6")
    let range = try shop.repository.bisectRange(from: "s2", to: "s6")
    #expect(range.order == .parents && names(range) == ["s2", "s6"])
    let across = try shop.repository.bisectRange(from: "s4", to: "s6")
    #expect(across.order == .time && names(across) == ["s4", "s5", "s6"])
  }

  @Test func equalStatesInARowAreOne() throws {
    try shop.save("again")
    try write("6")
    try shop.save("s6")
    let range = try shop.repository.bisectRange(from: "s4", to: "s6")
    #expect(range.states.count == 3 && range.states.last?.names == ["s6"])
  }

  @Test func endsThatCannotBe() throws {
    let repository = shop.repository
    #expect(code { try repository.bisectRange(from: "s2", to: "s2") } == .invalidArgument)
    #expect(code { try repository.bisectRange(from: "s5", to: "s2") } == .invalidArgument)
    #expect(code { try repository.bisectRange(from: "s5", to: "none") } == .noSuchState)
  }
}
