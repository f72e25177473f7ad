// Requests and answers as values.

internal import MementoObjects

/// A request over HTTP.
struct HTTPRequest: Sendable {
  var method: String
  /// `https://HOST[:PORT]/PATH[?QUERY]`, percent-encoded.
  var url: String
  var headers: [(name: String, value: String)] = []
  /// Nil for none.
  var body: RequestBody?
}

/// An answer that has come as a whole.
struct HTTPAnswer: Sendable {
  let status: Int
  let headers: [(name: String, value: String)]
  /// Empty when the content went to a target.
  let body: [UInt8]
  /// How many bytes went to the target.
  let filled: Int
  /// Seconds from the last byte that was sent to the first of the answer.
  let waited: Double

  /// The value of the first header of this name.
  subscript(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name }?.value
  }
}

/// Why there is no answer.
struct TransportError: Error, Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// There is no such host, or nothing that takes connections there.
    case unreachable
    /// Nothing moved for too long.
    case silent
    /// The connection was lost, or what came is no HTTP.
    case broken
    /// The certificate is not trusted.
    case untrusted
    /// The proxy refuses.
    case denied
    /// The one who asked has gone.
    case cancelled
    /// Something on this side.
    case local
    /// The body cannot be read.
    case unread(ObjectError)
  }

  let kind: Kind
  /// For people, without a final period.
  let reason: String
  /// For how many seconds nothing had moved.
  var silence = 0.0
  /// How much of the body had been sent, in bytes.
  var sent: UInt64 = 0
}
