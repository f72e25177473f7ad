// Finds hard links during a walk: files that are met under several names.

internal import MementoSystem
internal import Synchronization

/// Gathers the names of files that have several.
final class LinkTracker: Sendable {
  private struct Names: Sendable {
    var paths: [[UInt8]] = []
    /// How many the file has, here and elsewhere.
    var count = 0
  }

  private let files = Mutex<[FileIdentity: Names]>([:])

  func add(_ path: [UInt8], of status: FileStatus) {
    files.withLock {
      $0[status.identity, default: Names()].paths.append(path)
      $0[status.identity]?.count = Int(status.linkCount)
    }
  }

  /// The paths of files that have other names outside of the folder.
  func linkedOutside() -> Set<[UInt8]> {
    files.withLock { Set($0.values.filter { $0.count > $0.paths.count }.flatMap(\.paths)) }
  }

  /// Groups of two and more names, each sorted, sorted by their first name.
  func groups() -> [[[UInt8]]] {
    files.withLock { files in
      files.values.map(\.paths).filter { $0.count > 1 }
        .map { $0.sorted { $0.lexicographicallyPrecedes($1) } }
        .sorted { $0[0].lexicographicallyPrecedes($1[0]) }
    }
  }
}
