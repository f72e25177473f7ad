// Names that have come into a directory and are not durable yet. Who commits makes them durable first: so late, a journaling
// file system has mostly written them already, together with the file that was flushed just before.

internal import MementoSystem
internal import Synchronization

final class DueFlush: Sendable {
  private enum State: Sendable {
    case none
    case due
    /// The kernel reports a failure once, and may have dropped what it could not write: nothing that relied on it holds.
    case failed(Errno)
  }

  private let state = Mutex(State.none)

  /// Names have come that somebody is going to rely on.
  func add() {
    state.withLock { state in
      if case .none = state { state = .due }
    }
  }

  /// Makes durable what came since the last time. Throws again what it has thrown once.
  func flush(_ directory: borrowing Descriptor) throws(Errno) {
    // Under the lock: who finds nothing due relies on its having been done.
    try state.withLock { (state) throws(Errno) in
      switch state {
      case .none: return
      case .failed(let error): throw error
      case .due:
        do throws(Errno) {
          try directory.flushDirectory()
          state = .none
        } catch {
          state = .failed(error)
          throw error
        }
      }
    }
  }
}
