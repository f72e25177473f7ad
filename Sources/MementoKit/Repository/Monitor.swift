// How the library speaks while it works: it reports, and only the caller prints.

/// What is being done; for a progress line.
public enum Phase: Sendable {
  /// Walking and storing the folder.
  case saving
  /// Writing files.
  case restoring
  /// Reading packs.
  case verifying
  case collectingGarbage
}

/// Receives progress and problems. Called from several threads at once, and often: keep it short.
public protocol Monitor: Sendable {
  /// A new phase begins.
  func begin(_ phase: Phase)
  /// So many more files and bytes are done.
  func advance(files: Int, bytes: UInt64)
  /// A problem, at the moment it is met; all of them are in the summary, too.
  func report(_ problem: Problem)
  /// Asked between files: true ends the work with `RepositoryError.Code.cancelled`, the store as it was.
  var isCancelled: Bool { get }
}

/// A monitor that listens to nothing.
public struct SilentMonitor: Monitor {
  /// Listens to nothing.
  public init() {}
  /// Does nothing.
  public func begin(_ phase: Phase) {}
  /// Does nothing.
  public func advance(files: Int, bytes: UInt64) {}
  /// Does nothing; the problem is in the summary.
  public func report(_ problem: Problem) {}
  /// Never.
  public var isCancelled: Bool { false }
}
