// Finds hard links during a walk: files that the walk meets under several names.

internal import MementoSystem
internal import Synchronization

/// Gathers the names of files that have several.
final class LinkTracker: Sendable {
  private struct Names: Sendable {
    var paths: [[UInt8]] = []
    /// The number of names of the file, here and elsewhere.
    var count = 0
  }

  private struct State: Sendable {
    var files: [FileIdentity: Names] = [:]
    /// Names that were met but not recorded, or that another file has by now.
    var dropped: Set<[UInt8]> = []

    /// The recorded names of each file.
    var recorded: [Names] {
      if dropped.isEmpty { return Array(files.values) }
      return files.values.map { names in
        Names(paths: names.paths.filter { !dropped.contains($0) }, count: names.count)
      }
    }
  }

  private let state = Mutex(State())

  func add(_ path: [UInt8], of status: FileStatus) {
    state.withLock {
      $0.files[status.identity, default: Names()].paths.append(path)
      $0.files[status.identity]?.count = Int(status.linkCount)
    }
  }

  /// Removes a name that is not recorded, or that means another file by now. A restore must not link it.
  func drop(_ path: [UInt8]) {
    state.withLock { if !$0.files.isEmpty { $0.dropped.insert(path) } }
  }

  /// The paths of files that also have names outside of the folder.
  func linkedOutside() -> Set<[UInt8]> {
    state.withLock { Set($0.recorded.filter { $0.count > $0.paths.count }.flatMap(\.paths)) }
  }

  /// Groups of at least two names. Each group is sorted, and the groups are sorted by their first name.
  func groups() -> [[[UInt8]]] {
    state.withLock { state in
      state.recorded.map(\.paths).filter { $0.count > 1 }
        .map { $0.sorted { $0.lexicographicallyPrecedes($1) } }
        .sorted { $0[0].lexicographicallyPrecedes($1[0]) }
    }
  }
}
