// Where requests go.

/// `http://HOST[:PORT]` or `https://HOST[:PORT]`.
struct Endpoint: Equatable, Sendable, CustomStringConvertible {
  let isSecure: Bool
  /// An address of IPv6 stands in brackets.
  let host: String
  /// Nil for that of the scheme.
  let port: UInt16?

  init(isSecure: Bool, host: String, port: UInt16? = nil) {
    self.isSecure = isSecure
    self.host = host
    self.port = port == (isSecure ? 443 : 80) ? nil : port
  }

  /// Nil when `text` is no such URL, or has a path, a user or a password.
  init?(_ text: String) {
    guard let mark = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<mark.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    var rest = text[mark.upperBound...]
    if rest.hasSuffix("/") { rest.removeLast() }
    var port: UInt16?
    // A colon within brackets belongs to the address.
    if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
      let digits = rest[rest.index(after: colon)...]
      guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let number = UInt16(digits), number > 0
      else { return nil }
      port = number
      rest = rest[..<colon]
    }
    guard Endpoint.isHost(rest) else { return nil }
    self.init(isSecure: scheme == "https", host: rest.lowercased(), port: port)
  }

  private static func isHost(_ text: Substring) -> Bool {
    if text.hasPrefix("["), text.hasSuffix("]"), text.utf8.count > 2 {
      return text.dropFirst().dropLast().utf8.allSatisfy { isDigitOrLetter($0) || $0 == 0x3a || $0 == 0x2e }
    }
    guard let first = text.utf8.first, isDigitOrLetter(first), text.utf8.count <= 253 else { return false }
    return text.utf8.allSatisfy { isDigitOrLetter($0) || "-._".utf8.contains($0) }
  }

  private static func isDigitOrLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  /// As in the header `Host`.
  var authority: String { port.map { "\(host):\($0)" } ?? host }

  var description: String { "\(isSecure ? "https" : "http")://\(authority)" }

  /// The same with the bucket before the host.
  func withBucket(_ bucket: String) -> Endpoint { Endpoint(isSecure: isSecure, host: "\(bucket).\(host)", port: port) }

  // MARK: AWS

  static func ofAWS(region: String) -> Endpoint {
    Endpoint(isSecure: true, host: "s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : ""))
  }

  var isOfAWS: Bool { host.hasSuffix(".amazonaws.com") || host.hasSuffix(".amazonaws.com.cn") }

  /// Whether requests may be sent to another endpoint because this one says so. Requests can carry a token that is good
  /// for others, so they go to nobody else, and never from TLS to none.
  func mayRedirect(to other: Endpoint) -> Bool {
    if isSecure && !other.isSecure { return false }
    return other.host == host || isOfAWS && other.isOfAWS
  }
}
