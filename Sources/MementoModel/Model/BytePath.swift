// Names of files are bytes, not text: any byte but `/` and NUL, in any encoding or none.

/// A path as bytes, from the command line to the disk.
public struct BytePath: Hashable, Sendable {
  /// The bytes, without a NUL at the end.
  public var bytes: [UInt8]

  /// A path of these bytes; no NUL is among them.
  public init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  /// The UTF-8 bytes of a text.
  public init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// The path as text, when it is UTF-8.
  public var text: String? { String(validating: bytes, as: UTF8.self) }

  /// The path as text, with U+FFFD for bytes that are not UTF-8.
  public var lossyText: String { String(decoding: bytes, as: UTF8.self) }

  /// The names between the slashes; empty ones are left out.
  public var components: [[UInt8]] {
    bytes.split(separator: UInt8(ascii: "/")).map { Array($0) }
  }

  /// Whether it begins at the root of the file system.
  public var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") }

  /// This path with a name (or a path) below it.
  public func appending(_ name: some Sequence<UInt8>) -> BytePath {
    if bytes.isEmpty { return BytePath(name) }
    if bytes.last == UInt8(ascii: "/") { return BytePath(bytes + Array(name)) }
    return BytePath(bytes + [UInt8(ascii: "/")] + Array(name))
  }
}

extension BytePath: Comparable {
  /// Orders by bytes.
  public static func < (left: BytePath, right: BytePath) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

extension BytePath: ExpressibleByStringLiteral {
  /// The UTF-8 bytes of a text.
  public init(stringLiteral text: String) {
    self.init(text)
  }
}

extension BytePath: CustomStringConvertible {
  /// The same as `lossyText`.
  public var description: String { lossyText }
}
