// Who has a store that is being waited for.

internal import MementoSystem

/// A process that keeps others from using a store.
public struct StoreHolder: Equatable, Sendable {
  /// Its number.
  public var process: Int32
  /// The words of its command line; nil where the system does not tell.
  public var command: [[UInt8]]?

  /// A process with what is known of it.
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
