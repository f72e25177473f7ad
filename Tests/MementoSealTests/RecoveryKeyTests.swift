import Crypto
import Testing

@testable import MementoSeal

struct RecoveryKeyTests {
  private let text = "000G-40R4-0M30-E209-185G-R38E-1W81-24GK-2GAH-C5RR-34D1-P70X-3RFG-CC6W"

  private func parse(_ text: String) throws -> [UInt8] {
    try RecoveryKey(text: Array(text.utf8)).key.withUnsafeBytes { Array($0) }
  }

  @Test func isWrittenInGroups() throws {
    let key = try #require(RecoveryKey(SymmetricKey(data: Sample.key)))
    #expect(String(decoding: key.text(), as: UTF8.self) == text)
    #expect(try parse(text) == Sample.key)
  }

  @Test func newOnesDiffer() throws {
    let keys = (0..<50).map { _ in RecoveryKey() }
    #expect(Set(keys.map { $0.text() }).count == 50)
    for key in keys { #expect(try RecoveryKey(text: key.text()).key == key.key) }
  }

  @Test func isReadAsPeopleTypeIt() throws {
    #expect(try parse(text.lowercased()) == Sample.key)
    #expect(try parse(text.replacing("-", with: "")) == Sample.key)
    #expect(try parse("  \(text.replacing("-", with: " "))\r\n") == Sample.key)
    #expect(try parse(text.replacing("0", with: "O").replacing("1", with: "l")) == Sample.key)
  }

  @Test func findsEachWrongLetter() {
    let letters = Array(text)
    var found = 0
    for index in letters.indices where letters[index] != "-" {
      for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZ" where other != letters[index] {
        var wrong = letters
        wrong[index] = other
        #expect(throws: SealError.self) { try parse(String(wrong)) }
        found += 1
      }
    }
    #expect(found == 56 * 31)
  }

  @Test func findsSwappedLettersAndGroups() {
    let groups = text.split(separator: "-")
    for index in groups.indices.dropLast() {
      var wrong = groups
      wrong.swapAt(index, index + 1)
      #expect(throws: SealError.self) { try parse(wrong.joined(separator: "-")) }
    }
    let letters = Array(text.replacing("-", with: ""))
    for index in letters.indices.dropLast() where letters[index] != letters[index + 1] {
      var wrong = letters
      wrong.swapAt(index, index + 1)
      #expect(throws: SealError.self) { try parse(String(wrong)) }
    }
  }

  @Test(arguments: ["", "000G", "hello", String(repeating: "0", count: 55), String(repeating: "0", count: 5000), "é"])
  func refusesOtherTexts(_ text: String) {
    let error = #expect(throws: SealError.self) { try parse(text) }
    #expect(error?.kind == .unusable)
  }
}
