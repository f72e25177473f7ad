// Undo and redo for any value, in memory.

public import Observation

/// The states that a value went through, with a current one. Saving after an undo drops what could be redone, as in an
/// editor. Every step is O(1); with a limit, amortised.
///
/// It can be observed (`Observation`), and be used from several tasks when `State` is `Sendable`. A history that is kept with
/// a caretaker does not wait for a disk: see `flush()`.
public final class History<State>: Observable {
  /// States kept at most; nil: all.
  public let limit: Int?

  private let steps: HistorySteps<State>
  private let registrar = ObservationRegistrar()
  /// How the history is kept; nil: it is in memory only. Set before anybody else sees the history.
  private var keeping: Keeping?

  /// How a history is kept with a caretaker.
  enum Keeping {
    /// In the background. `encode`: how a state is kept.
    case inBackground(HistorySaver, encode: (State) throws -> [UInt8])
    /// Each change at once, with a caretaker that is used from one thread.
    case atOnce(SaveStatus, () throws -> Void)
  }

  /// Begins with one state. `limit`: how many states are kept, at least 1; the oldest go first.
  public convenience init(_ initial: State, limit: Int? = nil) {
    self.init(steps: HistorySteps([HistorySteps.Step(number: 0, state: initial, encoded: nil)], index: 0), limit: limit)
  }

  init(steps: HistorySteps<State>, limit: Int?) {
    self.steps = steps
    self.limit = limit.map { max(1, $0) }
    if let limit = self.limit { steps.change { $0.trim(to: limit) } }
  }

  /// Keeps every change from now on.
  func keep(_ keeping: Keeping) {
    self.keeping = keeping
  }

  deinit {
    // Nobody is left to be told; `flush()` before tells whether it can be kept.
    if case .inBackground(let saver, _) = keeping { try? saver.flush() }
  }

  /// The state at the index.
  public var current: State {
    registrar.access(self, keyPath: \.current)
    return steps.read { $0.steps[$0.position].state }
  }

  /// All states, oldest first: those that can be undone, the current one, those that can be redone.
  public var states: [State] {
    registrar.access(self, keyPath: \.states)
    return steps.read { $0.steps[$0.first...].map(\.state) }
  }

  /// Where `current` stands in `states`.
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

  /// Makes a new state the current one; what could be redone is dropped.
  public func save(_ state: State) {
    var encoded: Result<[UInt8], any Error>?
    if case .inBackground(_, let encode) = keeping { encoded = Result { try encode(state) } }
    change { $0.append(state, encoded: encoded) }
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
    guard steps.read({ $0.canMove(by: offset) }) else { return false }
    var moved = false
    change { steps in
      // Another task may have moved meanwhile.
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
    // The failure is in `saveError`.
    case .atOnce(_, let save): try? save()
    case nil: break
    }
  }

  // MARK: Keeping

  /// Why the last attempt to keep the history failed; nil when it did not, and for a history that is only in memory. After a
  /// `flush()` it speaks of all changes.
  public var saveError: (any Error)? {
    switch keeping {
    case .inBackground(let saver, _): saver.status.error
    case .atOnce(let status, _): status.error
    case nil: nil
    }
  }

  /// Returns when all changes up to now are kept: they are durable if the caretaker is. Throws why they cannot be, and keeps
  /// nothing then. The end of a history's life does the same, so that only a program that crashes in between, or that ends
  /// with `exit`, loses its last changes. Does nothing for a history that is only in memory.
  public func flush() throws {
    switch keeping {
    case .inBackground(let saver, _): try saver.flush()
    case .atOnce(_, let save): try save()
    case nil: break
    }
  }

  /// The same without blocking the thread of the caller, where the caretaker can be used from another.
  public func flush() async throws {
    switch keeping {
    case .inBackground(let saver, _): try await Task.detached { try saver.flush() }.value
    case .atOnce(_, let save): try save()
    case nil: break
    }
  }
}

/// Unchecked, because `keeping` is a variable: it is set while the history is made, and never again. The steps have a lock.
extension History: @unchecked Sendable where State: Sendable {}
