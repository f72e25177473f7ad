// How the library speaks while it works: it reports, and only the caller prints.

internal import MementoSystem

/// What is being done; for a progress line. New phases may be added: a `switch` over phases needs a `default`.
public struct Phase: Hashable, Sendable, CustomStringConvertible {
  private enum Kind: String {
    case scanning
    case saving
    case restoring
    case verifying
    case collectingGarbage = "collecting-garbage"
  }

  private let kind: Kind

  private init(_ kind: Kind) {
    self.kind = kind
  }

  /// The word for it, as in `collecting-garbage`.
  public var description: String { kind.rawValue }

  /// Reading the folder, to compare it with a snapshot.
  public static let scanning = Phase(.scanning)
  /// Reading the folder and storing what is new.
  public static let saving = Phase(.saving)
  /// Writing files.
  public static let restoring = Phase(.restoring)
  /// Reading packs.
  public static let verifying = Phase(.verifying)
  /// Removing what nothing refers to.
  public static let collectingGarbage = Phase(.collectingGarbage)
}

/// Receives progress and problems. Called from several threads at once, and often: keep it short.
public protocol Monitor: Sendable {
  /// A new phase begins.
  func begin(_ phase: Phase)
  /// So many more files and bytes are done.
  func advance(files: Int, bytes: UInt64)
  /// A problem, at the moment it is met; all of them are in the summary, too.
  func report(_ problem: Problem)
  /// Another process has the store, and has been waited for half a second: once a wait, with the process where it can be
  /// known.
  func wait(for holder: StoreHolder?)
  /// Asked between files, and while another process is waited for: true ends the work with
  /// `RepositoryError.Code.cancelled`, the store as it was.
  var isCancelled: Bool { get }
}

extension Monitor {
  /// Waits in silence.
  public func wait(for holder: StoreHolder?) {}
}

extension LockWait {
  init(seconds: Double, hearing monitor: any Monitor) {
    self.init(
      seconds: seconds,
      isLong: { monitor.wait(for: $0.map { StoreHolder($0) }) },
      isCancelled: { monitor.isCancelled })
  }
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
