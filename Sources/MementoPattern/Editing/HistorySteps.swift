// The states of a history, and where it stands: what the history changes and its saver reads.

internal import Synchronization

/// `@unchecked Sendable`, because a `Mutex` could hold only states that are `Sendable` always: `steps` is touched under `lock`
/// alone. Other threads than those that use the history read numbers and bytes, and no states.
final class HistorySteps<State>: @unchecked Sendable {
  /// One state.
  struct Step {
    /// Tells it from all other states that the history has had.
    let number: Int
    let state: State
    /// How it is kept, until it is; nil: it is kept, or is never to be.
    var encoded: Result<[UInt8], any Error>?
  }

  /// The steps from `first` on count; those before have been dropped and go when they are many.
  struct Steps {
    var steps: [Step]
    var first = 0
    /// Counted in `steps`.
    var position = 0
    var nextNumber: Int

    /// Makes a new state the current one.
    mutating func append(_ state: State, encoded: Result<[UInt8], any Error>?) {
      steps.removeLast(steps.count - position - 1)
      steps.append(Step(number: nextNumber, state: state, encoded: encoded))
      nextNumber += 1
      position += 1
    }

    /// Whether the position can move so far.
    func canMove(by offset: Int) -> Bool {
      position + offset >= first && position + offset < steps.count
    }

    /// Drops the oldest states beyond a limit. They leave the array when they are half of it: each is moved once on average.
    mutating func trim(to limit: Int) {
      while steps.count - first > limit, first < position { first += 1 }
      if first > steps.count / 2 {
        steps.removeFirst(first)
        position -= first
        first = 0
      }
    }
  }

  private var steps: Steps
  private let lock = Mutex<Void>(())

  /// `steps`: at least one, with numbers that differ. `index`: one that is not among them is brought to the nearest.
  init(_ steps: [Step], index: Int) {
    let nextNumber = (steps.map(\.number).max() ?? -1) + 1
    self.steps = Steps(steps: steps, position: min(max(index, 0), steps.count - 1), nextNumber: nextNumber)
  }

  func read<Result>(_ body: (Steps) -> Result) -> Result {
    change { body($0) }
  }

  func change<Result>(_ body: (inout Steps) -> Result) -> Result {
    var result: Result?
    lock.withLock { _ in result = body(&steps) }
    guard let result else { preconditionFailure("the body of a lock always runs") }
    return result
  }
}

extension HistorySteps: HistorySource {
  func contents(besides kept: Set<Int>) throws -> HistoryContents {
    let outcome = read { steps -> Result<HistoryContents, any Error> in
      let counting = steps.steps[steps.first...]
      var contents = HistoryContents(numbers: counting.map(\.number), index: steps.position - steps.first, values: [:])
      for step in counting where !kept.contains(step.number) {
        switch step.encoded {
        case .success(let bytes): contents.values[step.number] = bytes
        case .failure(let error): return .failure(error)
        case nil: break
        }
      }
      return .success(contents)
    }
    return try outcome.get()
  }

  func forgetValues(of kept: Set<Int>) {
    change { steps in
      for index in steps.steps.indices where kept.contains(steps.steps[index].number) {
        steps.steps[index].encoded = nil
      }
    }
  }
}
