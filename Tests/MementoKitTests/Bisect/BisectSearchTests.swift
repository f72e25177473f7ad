import TestSupport
import Testing

@testable import MementoKit

/// The search by halves finds what a search from the first to the last state finds.
struct BisectSearchTests {
  /// Runs a search over verdicts, which equal contents share.
  private func run(_ verdicts: [BisectVerdict], _ contents: [Int]) -> (search: BisectSearch, runs: Int) {
    var search = BisectSearch(contents: contents)
    var runs = 0
    while let state = search.next(), runs <= verdicts.count {
      runs += 1
      search.note(verdicts[state], of: state)
    }
    return (search, runs)
  }

  private func logarithm(_ number: Int) -> Int {
    var power = 0
    while 1 << power < number { power += 1 }
    return power
  }

  @Test func aRowThatTurnsOnce() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<2000 {
      let count = Int.random(in: 2...300, using: &random)
      let first = Int.random(in: 1..<count, using: &random)
      let verdicts = (0..<count).map { $0 < first ? BisectVerdict.good : .bad }
      let (search, runs) = run(verdicts, Array(0..<count))
      #expect(search.suspects == first..<first + 1 && search.lastGood == first - 1)
      #expect(runs <= logarithm(count - 1), "\(count) states took \(runs) tests")
    }
  }

  @Test func skippedStatesLeaveExactlyThoseBesideTheTurn() {
    var random = SplitMix64(seed: 2)
    for _ in 0..<2000 {
      let count = Int.random(in: 2...60, using: &random)
      let first = Int.random(in: 1..<count, using: &random)
      var verdicts = (0..<count).map { $0 < first ? BisectVerdict.good : .bad }
      var skipped = 0
      for index in 1..<max(1, count - 1) where Int.random(in: 0..<3, using: &random) == 0 {
        verdicts[index] = .skip
        skipped += 1
      }
      // What a look at every state would tell.
      let good = verdicts.lastIndex(of: .good) ?? 0
      let bad = verdicts.firstIndex(of: .bad) ?? count - 1
      let (search, runs) = run(verdicts, Array(0..<count))
      #expect(search.lastGood == good && search.firstBad == bad && search.suspects == good + 1..<bad + 1)
      // Beside a skipped state the halves are not equal; each state is tested once at most.
      #expect(runs <= max(0, count - 2) && runs <= 2 * logarithm(count - 1) + skipped)
    }
  }

  /// In any row there is a turn from good to bad; that one is found, and equal contents are tested once.
  @Test func equalContentsAndRowsThatTurnOften() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<2000 {
      let count = Int.random(in: 2...60, using: &random)
      var contents = (0..<count).map { _ in Int.random(in: 2..<12, using: &random) }
      contents[0] = 0
      contents[count - 1] = 1
      let kinds: [BisectVerdict] = (0..<12).map { _ in Bool.random(using: &random) ? .good : .bad }
      let verdicts = contents.map { $0 == 0 ? BisectVerdict.good : $0 == 1 ? .bad : kinds[$0] }
      let (search, runs) = run(verdicts, contents)
      #expect(search.suspects.count == 1)
      #expect(verdicts[search.lastGood] == .good && verdicts[search.firstBad] == .bad)
      #expect(runs <= min(10, logarithm(count - 1)))
    }
  }

  @Test func theNumberOfTestsLeftIsAnUpperBound() {
    for count in 2..<200 {
      var search = BisectSearch(contents: Array(0..<count))
      while let state = search.next() {
        let before = search.remaining
        search.note(state % 2 == 0 ? .good : .bad, of: state)
        #expect(search.remaining < before)
      }
      #expect(search.remaining == 0)
    }
  }
}
