// How the library reports what it does. Only the caller prints.

internal import MementoSystem

/// What the library is doing, for a progress line. New phases may be added: a `switch` over phases needs a `default`.
public struct Phase: Hashable, Sendable, CustomStringConvertible {
  private enum Kind: String {
    case scanning
    case saving
    case restoring
    case verifying
    case measuring
    case collectingGarbage = "collecting-garbage"
    case pushing
    case fetching
    case exporting
    case importing
  }

  private let kind: Kind

  private init(_ kind: Kind) {
    self.kind = kind
  }

  /// The phase as a word, for example `collecting-garbage`.
  public var description: String { kind.rawValue }

  /// Reads the folder to compare it with a snapshot.
  public static let scanning = Phase(.scanning)
  /// Reads the folder and stores what is new.
  public static let saving = Phase(.saving)
  /// Writes files.
  public static let restoring = Phase(.restoring)
  /// Reads packs.
  public static let verifying = Phase(.verifying)
  /// Reads trees to find out what takes space.
  public static let measuring = Phase(.measuring)
  /// Removes what nothing refers to.
  public static let collectingGarbage = Phase(.collectingGarbage)
  /// Sends what a remote lacks.
  public static let pushing = Phase(.pushing)
  /// Receives from a remote.
  public static let fetching = Phase(.fetching)
  /// Writes an archive.
  public static let exporting = Phase(.exporting)
  /// Reads an archive.
  public static let importing = Phase(.importing)
}

/// Receives progress and problems. Several threads call it at once, and often, so it must be quick.
public protocol Monitor: Sendable {
  /// A new phase begins.
  func begin(_ phase: Phase)
  /// The phase is going to advance by about so many bytes. Called when that is known, and again when more is known.
  func expect(bytes: UInt64)
  /// The phase is going to advance by about so many files. Called when that is known.
  func expect(files: Int)
  /// Adds to the number of files and bytes that are done.
  func advance(files: Int, bytes: UInt64)
  /// Reports a problem as soon as it is found. The summary holds all of them, too.
  func report(_ problem: Problem)
  /// Another process has held the lock for half a second. Called once per wait, with that process where it is known.
  func wait(for holder: StoreHolder?)
  /// Asked by a save that finds far more than the one before did, if its options want that (`SaveOptions.asksFirst`).
  /// False ends it with `RepositoryError.Code.tooLarge`, and nothing is saved. Called once; the work waits.
  func confirm(_ growth: FolderGrowth) -> Bool
  /// Asked between files, and while waiting for another process. True ends the operation with
  /// `RepositoryError.Code.cancelled`.
  var isCancelled: Bool { get }
}

extension Monitor {
  /// Does nothing.
  public func expect(bytes: UInt64) {}
  /// Does nothing.
  public func expect(files: Int) {}
  /// Does nothing.
  public func wait(for holder: StoreHolder?) {}
  /// False.
  public func confirm(_ growth: FolderGrowth) -> Bool { false }
}

extension LockWait {
  init(seconds: Double, hearing monitor: any Monitor) {
    self.init(
      seconds: seconds,
      isLong: { monitor.wait(for: $0.map { StoreHolder($0) }) },
      isCancelled: { monitor.isCancelled })
  }
}

/// A monitor that ignores everything.
public struct SilentMonitor: Monitor {
  /// Makes a monitor that ignores everything.
  public init() {}
  /// Does nothing.
  public func begin(_ phase: Phase) {}
  /// Does nothing.
  public func advance(files: Int, bytes: UInt64) {}
  /// Does nothing; the problem is in the summary.
  public func report(_ problem: Problem) {}
  /// Always false.
  public var isCancelled: Bool { false }
}
