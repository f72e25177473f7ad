// Where a remote is.

/// The place of a remote: `file:///PATH`, `ssh://[USER@]HOST[:PORT]/PATH`, `s3://BUCKET[/PREFIX][?KEY=VALUE&…]`, or what a helper
/// of another engine knows (docs/remote-helpers.md). It never holds a password: a URL with one is refused, since it is kept
/// in the store and shown.
public struct RemoteURL: Hashable, Sendable, CustomStringConvertible {
  /// By what a remote is reached. New engines may be added: a `switch` needs a `default`.
  public struct Engine: Hashable, Sendable, CustomStringConvertible {
    /// The scheme of the URL.
    public let description: String

    init(_ scheme: String) {
      description = scheme
    }

    /// A folder of this machine, also one on a drive of the network. The library reaches it by itself.
    public static let file = Engine("file")
    /// A machine that can be reached with `ssh`.
    public static let ssh = Engine("ssh")
    /// A bucket of an object store.
    public static let s3 = Engine("s3")
  }

  /// The URL as it was given.
  public let description: String
  /// What reaches it.
  public let engine: Engine
  /// The user of `ssh`; nil when the URL names none.
  public let user: String?
  /// The host of `ssh`, the bucket of `s3`, or what stands there for another engine; nil for `file`.
  public let host: String?
  /// The port of `ssh`; nil when the URL names none.
  public let port: UInt16?
  /// The path of `file` and `ssh`: absolute. The prefix of `s3`, without slashes around it; empty for the whole bucket.
  public let path: BytePath
  /// What stands after `?`, in its order: `endpoint`, `region` and `path-style` of `s3`.
  public let parameters: [Parameter]

  /// One `KEY=VALUE` of a URL.
  public struct Parameter: Hashable, Sendable {
    /// The key.
    public let key: String
    /// The value, with percent sequences decoded.
    public let value: String

    /// `value` is as it is, without percent sequences.
    public init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  /// Reads a URL. Throws `.invalidArgument` for one that is none, or that holds a password.
  public init(_ text: String) throws(RepositoryError) {
    func refusal(_ reason: String) -> RepositoryError {
      RepositoryError(
        .invalidArgument, "\"\(RemoteURL.hidingSecrets(text))\" cannot be a remote: \(reason)", reason: .unusableURL)
    }
    guard let colon = text.firstRange(of: "://") else { throw refusal("it has no scheme") }
    guard !text.unicodeScalars.contains(where: { $0.value < 0x21 || $0.value == 0x7f }) else {
      throw refusal("it contains a space or a control character")
    }
    let scheme = String(text[..<colon.lowerBound])
    var rest = text[colon.upperBound...]
    guard rest.utf8.count <= 4096 else { throw refusal("it is too long") }
    var parameters: [Parameter] = []
    if scheme == "s3", let mark = rest.firstIndex(of: "?") {
      for pair in rest[rest.index(after: mark)...].split(separator: "&") {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let value = RemoteURL.decoded(parts[1]),
          let valueText = String(validating: value, as: UTF8.self)
        else { throw refusal("what follows ? is not KEY=VALUE") }
        guard ["endpoint", "region", "path-style"].contains(parts[0]) else {
          throw refusal("there is no parameter \"\(parts[0])\"")
        }
        parameters.append(Parameter(key: String(parts[0]), value: valueText))
      }
      rest = rest[..<mark]
    }
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let authority = rest[..<slash]
    guard let path = RemoteURL.decoded(rest[slash...]), !path.contains(0) else {
      throw refusal("its path has a wrong percent sequence")
    }
    description = text
    self.parameters = parameters
    switch scheme {
    case "file":
      guard authority.isEmpty || authority == "localhost" else {
        throw refusal("a file is on no host: write file:///PATH")
      }
      guard path.contains(where: { $0 != UInt8(ascii: "/") }) else { throw refusal("it names no folder") }
      engine = .file
      (user, host, port) = (nil, nil, nil)
      self.path = BytePath(path)
    case "ssh":
      let place = try RemoteURL.place(authority, refusal)
      guard path.contains(where: { $0 != UInt8(ascii: "/") }) else { throw refusal("it names no folder") }
      engine = .ssh
      (user, host, port) = place
      self.path = BytePath(path)
    case "s3":
      guard RemoteURL.isBucket(authority) else { throw refusal("no bucket can have the name that it says") }
      engine = .s3
      (user, host, port) = (nil, String(authority), nil)
      var prefix = path[...]
      while prefix.first == UInt8(ascii: "/") { prefix.removeFirst() }
      while prefix.last == UInt8(ascii: "/") { prefix.removeLast() }
      self.path = BytePath(Array(prefix))
    default:
      guard RemoteURL.isScheme(scheme) else { throw refusal("a scheme has up to 16 small letters and digits") }
      guard authority.lastIndex(of: "@").map({ !authority[..<$0].contains(":") }) ?? true else {
        throw refusal("it holds a password")
      }
      // What it means is the business of its helper.
      engine = Engine(scheme)
      (user, host, port) = (nil, authority.isEmpty ? nil : String(authority), nil)
      self.path = BytePath(path)
    }
  }

  /// The URL of a folder of this machine. Throws as the other does. `folder` is an absolute path.
  public init(folder: BytePath) throws(RepositoryError) {
    try self.init("file://" + PercentText.encode(folder.bytes))
  }

  /// The URL of a bucket with these parameters, of which it keeps those that it has itself; any other URL as it is.
  public func completed(with others: [Parameter]) throws(RepositoryError) -> RemoteURL {
    let missing = others.filter { other in !parameters.contains { $0.key == other.key } }
    guard engine == .s3, !missing.isEmpty else { return self }
    let text = missing.map { "\($0.key)=\(RemoteURL.encoded($0.value))" }.joined(separator: "&")
    let isFirst = !description.contains("?")
    return try RemoteURL(description + (isFirst ? "?" : description.hasSuffix("?") ? "" : "&") + text)
  }

  /// Encodes what has a meaning in a value.
  private static func encoded(_ text: String) -> String {
    PercentText.encode(text.utf8).replacing("&", with: "%26")
  }

  /// The name of an engine, which is a part of the name of its helper.
  private static func isScheme(_ text: String) -> Bool {
    (1...16).contains(text.utf8.count) && text.utf8.first.map { $0 >= UInt8(ascii: "a") } == true
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) }
  }

  /// `[USER@]HOST[:PORT]`
  private static func place(
    _ authority: Substring, _ refusal: (String) -> RepositoryError
  ) throws(RepositoryError) -> (user: String?, host: String?, port: UInt16?) {
    var user: String?
    var host = authority
    if let at = authority.lastIndex(of: "@") {
      let name = authority[..<at]
      guard !name.contains(":") else { throw refusal("a password does not belong into a URL") }
      guard isWord(name) else { throw refusal("\"\(name)\" is not a user") }
      user = String(name)
      host = authority[authority.index(after: at)...]
    }
    var port: UInt16?
    // An IPv6 address stands in brackets.
    if let colon = host.lastIndex(of: ":"), host.last != "]" {
      let digits = host[host.index(after: colon)...]
      guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let number = UInt16(digits), number > 0
      else { throw refusal("its port is wrong") }
      port = number
      host = host[..<colon]
    }
    if host.first == "[", host.last == "]" {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      throw refusal("an address with colons stands in brackets")
    }
    // A host that begins with - would be an option of ssh.
    guard isWord(host) else { throw refusal("\"\(host)\" is not a host") }
    return (user, String(host), port)
  }

  private static func isWord(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, first != UInt8(ascii: "-") else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: ":"), UInt8(ascii: "%"), UInt8(ascii: "+"):
        true
      default: false
      }
    }
  }

  /// The rules of AWS for names of buckets, and the upper case letters and underscores that others allow.
  private static func isBucket(_ text: Substring) -> Bool {
    (1...255).contains(text.utf8.count) && isWord(text) && !text.contains(":") && !text.contains("%")
  }

  /// Decodes percent sequences; nil when one is wrong.
  private static func decoded(_ text: Substring) -> [UInt8]? {
    var result: [UInt8] = []
    var bytes = text.utf8.makeIterator()
    while let byte = bytes.next() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      guard let high = bytes.next().flatMap(hexValue), let low = bytes.next().flatMap(hexValue) else { return nil }
      result.append(high << 4 | low)
    }
    return result
  }

  /// The text for a message: without what may be a password, and without the values of parameters.
  private static func hidingSecrets(_ text: String) -> String {
    let shown = text.firstIndex(of: "?").map { text[..<$0] + "?…" } ?? text[...]
    guard let scheme = shown.firstRange(of: "://"), let at = shown.lastIndex(of: "@"), scheme.upperBound <= at,
      let colon = shown[scheme.upperBound..<at].firstIndex(of: ":")
    else { return String(shown) }
    return String(shown[...colon] + "…" + shown[at...])
  }
}
