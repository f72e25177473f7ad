// The states of a history and its position. The history changes them, and its saver reads them.

internal import Synchronization

/// `@unchecked Sendable` because a `Mutex` can hold only states that are always `Sendable`. `steps` is used only while
/// `lock` is held. Threads other than those that use the history read numbers and bytes, but no states.
final class HistorySteps<State>: @unchecked Sendable {
  /// One state.
  struct Step {
    /// A number that no other state of the history had.
    let number: Int
    let state: State
    /// The encoded state, or the error of encoding it, until it is saved. nil when it is saved or will never be.
    var encoded: Result<[UInt8], any Error>?
  }

  /// The steps before index `first` are dropped already. They are removed from the array when there are many.
  struct Steps {
    var steps: [Step]
    var first = 0
    /// The index in `steps` of the current state.
    var position = 0
    var nextNumber: Int

    /// Adds a state, makes it the current one, and drops the states after the one that was current.
    mutating func append(_ state: State, encoded: Result<[UInt8], any Error>?) {
      steps.removeLast(steps.count - position - 1)
      steps.append(Step(number: nextNumber, state: state, encoded: encoded))
      nextNumber += 1
      position += 1
    }

    /// Whether `offset` steps from the position there is a state.
    func canMove(by offset: Int) -> Bool {
      position + offset >= first && position + offset < steps.count
    }

    /// Drops the oldest states above `limit`. They are removed from the array once they are half of it, so that each
    /// step is moved once on average.
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

  /// `steps` has at least one step, and all numbers differ. An `index` outside is replaced by the nearest one inside.
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
