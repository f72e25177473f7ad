import Testing

@testable import MementoCLI
@testable import MementoKit

@Suite struct HistoryGraphTests {
  /// An entry for each word: the snapshot, its parent if there is one, and `-` if undo left it.
  private func entries(_ text: String) -> [LogEntry] {
    text.split(separator: " ").map { word in
      let letters = word.filter { $0 != "-" && $0 != "*" && $0 != "=" }.map { Sample.id(String($0)) }
      var snapshot = Sample.snapshot(kind: word.contains("=") ? .value : .tree)
      snapshot.id = letters[0]
      snapshot.parent = letters.count > 1 ? letters[1] : nil
      var entry = LogEntry(
        operation: .save, time: Sample.time, isCurrent: word.contains("*"), names: [], snapshot: snapshot)
      if word.contains("-") { entry.marks = [.undone] }
      return entry
    }
  }

  private func drawn(_ text: String, isUnicode: Bool = false) -> [String]? {
    HistoryGraph(entries(text), isUnicode: isUnicode)?.rows.flatMap { $0.joins + [$0.node] }
  }

  @Test func oneLineIsNotDrawn() {
    #expect(drawn("") == nil)
    #expect(drawn("cb* ba a") == nil)
    #expect(drawn("cb* ba 1= a") == nil)
    // An unchanged save has taken the place of the step before it.
    #expect(drawn("cb* ba- a") == nil)
  }

  @Test func aBranchComesBackWhereItBegan() {
    #expect(drawn("da* cb- ba- a") == ["*", "| o", "| o", "|-'", "o"])
    #expect(drawn("da* cb- ba- a", isUnicode: true) == ["*", "│ ○", "│ ○", "├─╯", "○"])
    #expect(drawn("cb- da* ba- a") == ["  o", "* |", "| o", "|-'", "o"])
  }

  @Test func branchesMeet() {
    #expect(drawn("fa* ea- da- a") == ["*", "| o", "| | o", "|-+-'", "|-'", "o"])
    #expect(drawn("fa* eb- db- ba- a") == ["*", "| o", "| | o", "| |-'", "| o", "|-'", "o"])
    // The place of a branch that has ended is used again.
    #expect(drawn("fc* ec- cb db- b") == ["*", "| o", "|-'", "o", "| o", "|-'", "o"])
  }

  @Test func valuesAreBesideTheHistory() {
    #expect(drawn("da* 1= ca- 2= a") == ["*", "|", "| o", "| |", "|-'", "o"])
  }

  @Test func aBranchEndsWhereItsStartIsNotListed() {
    #expect(drawn("da* cb- a") == ["*", "| o", "o"])
    #expect(drawn("cb-") == ["  o"])
    #expect(HistoryGraph(entries("da* cb- a"), isUnicode: false)?.rows.map(\.rest) == ["|", "|", ""])
  }
}
