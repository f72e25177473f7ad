// Undo and redo for any value, in memory.

public import Observation

/// The states that a value went through, one of which is the current one. A save after an undo drops the states that
/// could be redone, as in an editor. `save`, `undo` and `redo` take constant time; with a limit, on average.
///
/// A history can be observed (`Observation`). Several tasks can use it when `State` is `Sendable`. A history that is
/// saved with a `BatchingCaretaker` does not wait for a disk: see `flush()`.
public final class History<State>: Observable {
  /// The largest number of states; nil when there is no limit.
  public let limit: Int?

  private let steps: HistorySteps<State>
  private let registrar = ObservationRegistrar()
  /// How the history is saved; nil when it is in memory only. It is set before another thread can see the history.
  private var keeping: Keeping?

  /// How a history is saved with a caretaker.
  enum Keeping {
    /// In the background. `encode` gives the bytes of a state.
    case inBackground(HistorySaver, encode: (State) throws -> [UInt8])
    /// At each change, with a caretaker that is used from one thread.
    case atOnce(SaveStatus, () throws -> Void)
  }

  /// Creates a history with one state. `limit` is the largest number of states, at least 1. Above it, the oldest states
  /// are dropped.
  public convenience init(_ initial: State, limit: Int? = nil) {
    self.init(steps: HistorySteps([HistorySteps.Step(number: 0, state: initial, encoded: nil)], index: 0), limit: limit)
  }

  init(steps: HistorySteps<State>, limit: Int?) {
    self.steps = steps
    self.limit = limit.map { max(1, $0) }
    if let limit = self.limit { steps.change { $0.trim(to: limit) } }
  }

  /// Saves every change from now on.
  func keep(_ keeping: Keeping) {
    self.keeping = keeping
  }

  deinit {
    // An error does not matter: no object is left that could report it. A program that needs the error calls `flush()`
    // before.
    if case .inBackground(let saver, _) = keeping { try? saver.flush() }
  }

  /// The current state.
  public var current: State {
    registrar.access(self, keyPath: \.current)
    return steps.read { $0.steps[$0.position].state }
  }

  /// All states, the oldest first: those before the current one, the current one, and those that can be redone.
  public var states: [State] {
    registrar.access(self, keyPath: \.states)
    return steps.read { $0.steps[$0.first...].map(\.state) }
  }

  /// The index of `current` in `states`.
  public var index: Int {
    registrar.access(self, keyPath: \.index)
    return steps.read { $0.position - $0.first }
  }

  /// Whether there is a state before the current one.
  public var canUndo: Bool { index > 0 }

  /// Whether there is a state after the current one.
  public var canRedo: Bool {
    registrar.access(self, keyPath: \.states)
    registrar.access(self, keyPath: \.index)
    return steps.read { $0.canMove(by: 1) }
  }

  /// Makes `state` the current one and drops the states that could be redone.
  public func save(_ state: State) {
    var encoded: Result<[UInt8], any Error>?
    if case .inBackground(_, let encode) = keeping { encoded = Result { try encode(state) } }
    change { $0.append(state, encoded: encoded) }
  }

  /// Goes back one state. Returns false when there is none before the current one.
  @discardableResult
  public func undo() -> Bool {
    move(by: -1)
  }

  /// Goes forward one state. Returns false when there is none after the current one.
  @discardableResult
  public func redo() -> Bool {
    move(by: 1)
  }

  private func move(by offset: Int) -> Bool {
    guard steps.read({ $0.canMove(by: offset) }) else { return false }
    var moved = false
    change { steps in
      // Another task may have moved the position since the check.
      moved = steps.canMove(by: offset)
      if moved { steps.position += offset }
    }
    return moved
  }

  private func change(_ body: (inout HistorySteps<State>.Steps) -> Void) {
    registrar.withMutation(of: self, keyPath: \.states) {
      registrar.withMutation(of: self, keyPath: \.index) {
        registrar.withMutation(of: self, keyPath: \.current) {
          steps.change { steps in
            body(&steps)
            if let limit { steps.trim(to: limit) }
          }
        }
      }
    }
    switch keeping {
    case .inBackground(let saver, _): saver.noteChange()
    // `saveError` has the error.
    case .atOnce(_, let save): try? save()
    case nil: break
    }
  }

  // MARK: Keeping

  /// The error of the last attempt to save the history. nil when it succeeded, or when the history is in memory only.
  /// After `flush()` it covers all changes.
  public var saveError: (any Error)? {
    switch keeping {
    case .inBackground(let saver, _): saver.status.error
    case .atOnce(let status, _): status.error
    case nil: nil
    }
  }

  /// Returns when all changes up to now are saved; they are as durable as the caretaker makes them. It saves all of
  /// them or throws the reason and saves none, where the caretaker makes several changes at once. A history does the
  /// same at the end of its life. So only a program that crashes before, or ends with `exit`, loses its last changes.
  /// Does nothing for a history that is in memory only.
  public func flush() throws {
    switch keeping {
    case .inBackground(let saver, _): try saver.flush()
    case .atOnce(_, let save): try save()
    case nil: break
    }
  }

  /// As the other `flush()`, but it does not block the calling thread if the caretaker may be used from another thread.
  public func flush() async throws {
    switch keeping {
    case .inBackground(let saver, _): try await Task.detached { try saver.flush() }.value
    case .atOnce(_, let save): try save()
    case nil: break
    }
  }
}

/// `@unchecked` because `keeping` is a variable. It is set only while the history is created. The steps have a lock of
/// their own.
extension History: @unchecked Sendable where State: Sendable {}
