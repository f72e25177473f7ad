// Names of files are bytes and not text. They may have any bytes but `/` and NUL, in any encoding or in none.

/// A path as bytes.
public struct BytePath: Hashable, Sendable {
  /// The bytes, without a NUL at the end.
  public var bytes: [UInt8]

  /// A path of these bytes. They contain no NUL.
  public init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  /// A path of the UTF-8 bytes of a text.
  public init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// The path as text. Nil when it is not UTF-8.
  public var text: String? { String(validating: bytes, as: UTF8.self) }

  /// The path as text, with U+FFFD for bytes that are not UTF-8.
  public var lossyText: String { String(decoding: bytes, as: UTF8.self) }

  /// The names between the slashes, without empty ones.
  public var components: [[UInt8]] {
    bytes.split(separator: UInt8(ascii: "/")).map { Array($0) }
  }

  /// Whether it begins at the root of the file system.
  public var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") }

  /// This path with a name, or a relative path, appended.
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
  /// A path of the UTF-8 bytes of a text.
  public init(stringLiteral text: String) {
    self.init(text)
  }
}

extension BytePath: CustomStringConvertible {
  /// The same as `lossyText`.
  public var description: String { lossyText }
}
