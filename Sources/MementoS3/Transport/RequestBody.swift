// What a request sends.

internal import MementoObjects
internal import NIOCore

enum RequestBody: Sendable {
  /// In memory.
  case bytes(ByteBuffer)
  /// Read while it is sent. `hash`: its SHA-256, in hexadecimal digits.
  case source(any ObjectSource, hash: String)

  /// In bytes.
  var count: UInt64 {
    switch self {
    case .bytes(let bytes): UInt64(bytes.readableBytes)
    case .source(let source, _): source.size
    }
  }

  /// Its SHA-256, in hexadecimal digits.
  var hash: String {
    switch self {
    case .bytes(let bytes): bytes.withUnsafeReadableBytes(RequestSigner.hash(of:))
    case .source(_, let hash): hash
    }
  }

  /// Nil when it is not in memory.
  var bytes: ByteBuffer? {
    guard case .bytes(let bytes) = self else { return nil }
    return bytes
  }
}
