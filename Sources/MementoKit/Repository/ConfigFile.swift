// A config that is not that of a store: the caller has read it and hands it over.

internal import MementoStore

/// The file of a config, already read. Its grammar is that of the config of a store: a `key = value` on each line.
public struct ConfigFile: Equatable, Sendable {
  /// Where it is, for messages.
  public var path: BytePath
  /// Its content.
  public var bytes: [UInt8]

  /// A file that was read already.
  public init(path: BytePath, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }

  /// The lines of the form `key = value`, in their order.
  var lines: [ConfigLine] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated().compactMap {
      let line = ConfigLine(Array($0.element), number: $0.offset + 1)
      return line?.key.hasPrefix("#") == true ? nil : line
    }
  }
}
