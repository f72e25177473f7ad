// What a bisection does, and what it has found.

import MementoKit

struct BisectText {
  let form: TextForm

  /// What is searched.
  func start(_ range: BisectRange) -> String {
    let count = Quantity.count(range.states.count, "state")
    let order =
      range.order == .parents
      ? "from BAD back to GOOD, each the parent of the next" : "of all known ones between GOOD and BAD, by time"
    let equal = range.equal > 0 ? "; \(range.equal) equal to the one before left out" : ""
    return "searching \(count) \(order)\(equal)"
  }

  /// `3 of about 5: 1a2b3c4d5e6f  before-upgrade  is bad (exit status 1)`
  func step(_ step: BisectStep, number: Int, of total: Int) -> String {
    let result =
      switch (step.verdict, step.status) {
      case (_, nil): "is skipped: it cannot be put into the scratch folder"
      case (.good, _): "is good"
      case (.skip, _): "is skipped (exit status 125)"
      case (.bad, let status): "is bad (exit status \(status ?? 1))"
      }
    return "\(number) of about \(total): \(label(step.state)) \(result)"
  }

  /// The id and the names.
  func label(_ state: LogEntry) -> String {
    let names = StateLabel.names(state)
    return form.id(state.snapshot.id) + (names.isEmpty ? "" : " (\(names))")
  }

  func unexpected(
    _ verdict: BisectVerdict, _ state: LogEntry, expected: BisectVerdict, status: Int32?
  ) -> String {
    let place = "\(expected == .good ? "GOOD" : "BAD"), \(label(state)),"
    return switch (verdict, status) {
    case (_, nil): "\(place) cannot be put into the scratch folder"
    case (.skip, _): "\(place) cannot be tested: the command skips it (exit status 125)"
    case (.good, _): "\(place) is good: the command succeeds there"
    case (.bad, let status): "\(place) is bad: the command fails there (exit status \(status ?? 1))"
    }
  }

  /// The first bad state and the last good one; all that it may be when states were skipped.
  func result(_ range: BisectRange, _ found: BisectSearch) -> [String] {
    let suspects = found.suspects.map { range.states[$0] }
    let last = line("last good", range.states[found.lastGood])
    if suspects.count == 1 { return [line("first bad", suspects[0]), last] }
    return ["the first bad one is one of these; those before the last could not be tested:"]
      + suspects.map { line("perhaps", $0) } + [last]
  }

  /// The command that shows what changed.
  func diff(_ range: BisectRange, _ found: BisectSearch) -> String {
    let ids = [found.lastGood, found.firstBad].map { range.states[$0].snapshot.id.short }
    return "to see it: memento diff \(ids[0]) \(ids[1])"
  }

  private func line(_ word: String, _ state: LogEntry) -> String {
    let names = StateLabel.names(state)
    let words = [
      form.style.heading(word) + String(repeating: " ", count: 9 - word.count), form.paintedID(state.snapshot.id),
      form.when(state.time), names.isEmpty ? "" : form.style.name(names),
      form.firstLine(state.snapshot.message ?? ""),
    ]
    return words.filter { !$0.isEmpty }.joined(separator: "  ")
  }
}
