// The files of the store that were found damaged and read all the same: packs through their parity, others from their
// second copy.

internal import Synchronization

package enum HealedFile: Hashable, Sendable {
  case pack(ObjectID)
  case config
  case rules
  case refs
  /// A list in `states/`.
  case list(ObjectID)

  /// Its path in the store.
  package var path: String {
    switch self {
    case .pack(let id): "packs/\(id).pack"
    case .config: "config"
    case .rules: "rules"
    case .refs: "refs"
    case .list(let id): "states/\(id)"
    }
  }
}

package final class HealedFiles: Sendable {
  private struct State: Sendable {
    var files: Set<HealedFile> = []
    var listener: (@Sendable (HealedFile) -> Void)?
  }

  private let state = Mutex(State())

  init() {}

  /// Notes a file. Tells the listener once of each.
  package func add(_ file: HealedFile) {
    let listener = state.withLock { $0.files.insert(file).inserted ? $0.listener : nil }
    listener?(file)
  }

  /// Forgets a file that was written anew.
  package func remove(_ file: HealedFile) {
    state.withLock { _ = $0.files.remove(file) }
  }

  /// Forgets `refs` and their lists, which were put back or not.
  func removeNames() {
    state.withLock { state in
      state.files = state.files.filter {
        switch $0 {
        case .refs, .list: false
        case .pack, .config, .rules: true
        }
      }
    }
  }

  /// All files so far.
  package var all: Set<HealedFile> { state.withLock { $0.files } }

  /// Calls `listener` once for each file that was healed or will be, on any thread.
  package func listen(_ listener: @escaping @Sendable (HealedFile) -> Void) {
    let files = state.withLock { state in
      state.listener = listener
      return state.files
    }
    for file in files { listener(file) }
  }
}
