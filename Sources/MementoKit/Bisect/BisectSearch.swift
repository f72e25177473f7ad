// The search for the first bad one in a row of states, by halves. It tests nothing: its caller does, and tells it what came
// out.

/// What a test says about a state.
public enum BisectVerdict: String, Sendable {
  case good
  case bad
  /// It cannot be told.
  case skip
}

/// A search by halves between a state that is good and one that is bad. Without skips it needs no more tests than the
/// logarithm of the number of states, to base 2 and rounded up.
public struct BisectSearch: Sendable {
  /// The number of the content of each state. States with equal contents are tested once.
  private let contents: [Int]
  private var verdicts: [BisectVerdict?]
  /// The newest state that is known to be good with only unknown and skipped ones behind it, up to `firstBad`.
  public private(set) var lastGood = 0
  /// The oldest state after `lastGood` that is known to be bad.
  public private(set) var firstBad: Int

  /// A search in a row of states, of which the first is good and the last is bad. `contents`: equal numbers for states with
  /// equal contents; at least two different ones.
  init(contents: [Int]) {
    self.contents = contents
    verdicts = Array(repeating: nil, count: contents.count)
    firstBad = max(0, contents.count - 1)
    note(.good, of: 0)
    note(.bad, of: firstBad)
  }

  /// The state to test next; nil at the end of the search.
  public func next() -> Int? {
    guard firstBad - lastGood > 1 else { return nil }
    let middle = (lastGood + firstBad) / 2
    // The nearest one to the middle that was not skipped.
    for distance in 0...(firstBad - lastGood) {
      for index in [middle - distance, middle + distance] where index > lastGood && index < firstBad {
        if verdicts[index] == nil { return index }
      }
    }
    return nil
  }

  /// About how many tests are left.
  public var remaining: Int {
    let unknown = (lastGood + 1..<max(firstBad, lastGood + 1)).count { verdicts[$0] == nil }
    return Int.bitWidth - unknown.leadingZeroBitCount
  }

  /// Takes the result of a test.
  public mutating func note(_ verdict: BisectVerdict, of state: Int) {
    guard contents.indices.contains(state) else { return }
    for index in contents.indices where contents[index] == contents[state] && verdicts[index] == nil {
      verdicts[index] = verdict
    }
    // The first state is good and the last one is bad, whatever has the same content between them.
    if let bad = (lastGood + 1..<max(firstBad, lastGood + 1)).first(where: { verdicts[$0] == .bad }) { firstBad = bad }
    if let good = (lastGood + 1..<max(firstBad, lastGood + 1)).last(where: { verdicts[$0] == .good }) {
      lastGood = good
    }
  }

  /// One of these is the first bad one: a single one, unless states were skipped beside it. The oldest comes first.
  public var suspects: Range<Int> { lastGood + 1..<firstBad + 1 }
}
