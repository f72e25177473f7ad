// Undo and redo for any value, in memory.

internal import Synchronization

public import Observation

/// The states that a value went through, with a current one. Saving after an undo drops what could be redone, as in an
/// editor. Every step is O(1); with a limit, amortised.
///
/// It can be observed (`Observation`), and be used from several tasks when `State` is `Sendable`.
public final class History<State>: Observable {
  private struct Steps {
    /// The states from `first` on count; those before have been dropped and go when they are many.
    var states: [State]
    var first = 0
    /// Counted in `states`.
    var position = 0
  }

  /// States kept at most; nil: all.
  public let limit: Int?

  /// Guarded by `lock`. Not inside of the mutex, which could give out only values that are `Sendable`.
  private var steps: Steps
  private let lock = Mutex<Void>(())
  private let registrar = ObservationRegistrar()
  /// Keeps every change; guarded by `keeping`.
  private var keep: (([State], Int) throws -> Void)?
  private var failure: (any Error)?
  private let keeping = Mutex<Void>(())

  /// Begins with one state. `limit`: how many states are kept, at least 1; the oldest go first.
  public init(_ initial: State, limit: Int? = nil) {
    steps = Steps(states: [initial])
    self.limit = limit.map { max(1, $0) }
  }

  /// Begins with states, at least one, and an index; one that is not among them is brought to the nearest.
  init(states: [State], index: Int, limit: Int?) {
    steps = Steps(states: states, position: min(max(index, 0), states.count - 1))
    self.limit = limit.map { max(1, $0) }
    trim()
  }

  /// The state at the index.
  public var current: State {
    registrar.access(self, keyPath: \.current)
    return read { $0.states[$0.position] }
  }

  /// All states, oldest first: those that can be undone, the current one, those that can be redone.
  public var states: [State] {
    registrar.access(self, keyPath: \.states)
    return read { Array($0.states[$0.first...]) }
  }

  /// Where `current` stands in `states`.
  public var index: Int {
    registrar.access(self, keyPath: \.index)
    return read { $0.position - $0.first }
  }

  /// Whether there is a state before the current one.
  public var canUndo: Bool { index > 0 }

  /// Whether there is a state after the current one.
  public var canRedo: Bool {
    registrar.access(self, keyPath: \.states)
    registrar.access(self, keyPath: \.index)
    return read { $0.position + 1 < $0.states.count }
  }

  /// Makes a new state the current one; what could be redone is dropped.
  public func save(_ state: State) {
    change { steps in
      steps.states.removeLast(steps.states.count - steps.position - 1)
      steps.states.append(state)
      steps.position += 1
    }
  }

  /// Goes one state back; false at the beginning.
  @discardableResult
  public func undo() -> Bool {
    move(by: -1)
  }

  /// Goes one state forward again; false at the end.
  @discardableResult
  public func redo() -> Bool {
    move(by: 1)
  }

  private func move(by offset: Int) -> Bool {
    let canMove = read { $0.position + offset >= $0.first && $0.position + offset < $0.states.count }
    guard canMove else { return false }
    var moved = false
    change { steps in
      let target = steps.position + offset
      // Another task may have moved meanwhile.
      moved = target >= steps.first && target < steps.states.count
      if moved { steps.position = target }
    }
    return moved
  }

  // MARK: Storage

  private func read<Result>(_ body: (Steps) -> Result) -> Result {
    var result: Result?
    lock.withLock { _ in result = body(steps) }
    guard let result else { preconditionFailure("the body of a lock always runs") }
    return result
  }

  private func change(_ body: (inout Steps) -> Void) {
    registrar.withMutation(of: self, keyPath: \.states) {
      registrar.withMutation(of: self, keyPath: \.index) {
        registrar.withMutation(of: self, keyPath: \.current) {
          lock.withLock { _ in
            body(&steps)
            trim()
          }
        }
      }
    }
    keepState()
  }

  /// Drops the oldest states beyond the limit. They leave the array when they are half of it: each is moved once on average.
  private func trim() {
    guard let limit else { return }
    while steps.states.count - steps.first > limit, steps.first < steps.position { steps.first += 1 }
    if steps.first > steps.states.count / 2 {
      steps.states.removeFirst(steps.first)
      steps.position -= steps.first
      steps.first = 0
    }
  }

  // MARK: Keeping

  /// Why the last change could not be kept; nil when it was, and for a history that is only in memory.
  public var saveError: (any Error)? {
    registrar.access(self, keyPath: \.saveError)
    var result: (any Error)?
    keeping.withLock { _ in result = failure }
    return result
  }

  /// Calls `body` after every change with the states and the index.
  func keepChanges(_ body: @escaping ([State], Int) throws -> Void) {
    keeping.withLock { _ in keep = body }
  }

  /// In turn, each with what is newest then: so the last one to be kept is the last one that was.
  private func keepState() {
    var hadFailed = false
    var hasFailed = false
    keeping.withLock { _ in
      guard let keep else { return }
      hadFailed = failure != nil
      let (states, index) = read { (Array($0.states[$0.first...]), $0.position - $0.first) }
      do {
        try keep(states, index)
        failure = nil
      } catch {
        failure = error
      }
      hasFailed = failure != nil
    }
    if hadFailed || hasFailed { registrar.withMutation(of: self, keyPath: \.saveError) {} }
  }
}

/// Unchecked, because a `Mutex` could hold only what is `Sendable` always: `steps` is touched under `lock` alone, `keep` and
/// `failure` under `keeping`.
extension History: @unchecked Sendable where State: Sendable {}
