// Describes the process that holds the lock of a store.

internal import MementoSystem

/// A process that keeps other processes from using a store.
public struct StoreHolder: Equatable, Sendable {
  /// The process id.
  public var process: Int32
  /// The arguments of its command line; nil where the system does not tell them.
  public var command: [[UInt8]]?

  /// Describes a process.
  public init(process: Int32, command: [[UInt8]]? = nil) {
    self.process = process
    self.command = command
  }
}

extension StoreHolder {
  init(_ holder: LockHolder) {
    self.init(process: holder.process, command: holder.command)
  }
}
