// Remembers that a directory has new names that are not durable yet. The next commit flushes the directory before it
// relies on them. The flush comes this late on purpose: by then a journaling file system has usually written the names
// already, together with the file that was flushed just before.

internal import MementoSystem
internal import Synchronization

final class DeferredFlush: Sendable {
  private enum State: Sendable {
    case none
    case due
    /// A flush has failed. The kernel reports this only once and may have dropped the names, so every later flush fails
    /// too.
    case failed(Errno)
  }

  private let state = Mutex(State.none)

  /// Notes that the directory has new names and that somebody is going to rely on them.
  func add() {
    state.withLock { state in
      if case .none = state { state = .due }
    }
  }

  /// Makes all noted names durable. If a flush fails, this call and all later ones throw its error.
  func flush(_ directory: borrowing Descriptor) throws(Errno) {
    // Flush while holding the lock: a thread that finds nothing due relies on the flush being complete.
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
