// What the environment says of the way to the network.

internal import MementoObjects

/// The proxy and the certificates that are used.
struct TransportSettings: Equatable, Sendable {
  struct Proxy: Equatable, Sendable {
    let host: String
    let port: Int
    var user = ""
    var password = ""
  }

  var proxy: Proxy?
  /// A file with the certificates that are trusted; nil for those of the system.
  var certificates: String?

  init() {}

  /// `certificates`: what the profile says.
  init(_ environment: [String: String], for endpoint: Endpoint, certificates: String?) throws(ObjectError) {
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    self.certificates = variable("AWS_CA_BUNDLE") ?? certificates
    if TransportSettings.isExcepted(endpoint, variable("no_proxy") ?? variable("NO_PROXY") ?? "") { return }
    // HTTP_PROXY in capitals can come from a request to a web server, so nobody reads it.
    let given = endpoint.isSecure ? variable("https_proxy") ?? variable("HTTPS_PROXY") : variable("http_proxy")
    guard let text = given ?? variable("all_proxy") ?? variable("ALL_PROXY") else { return }
    guard let proxy = TransportSettings.proxy(text) else {
      throw ObjectError(.local, "the proxy of the environment is not http://[USER:PASSWORD@]HOST[:PORT]")
    }
    self.proxy = proxy
  }

  private static func proxy(_ text: String) -> Proxy? {
    var rest = text[...]
    if let mark = text.firstRange(of: "://") {
      guard text[..<mark.lowerBound].lowercased() == "http" else { return nil }
      rest = text[mark.upperBound...]
    }
    var user = ""
    var password = ""
    if let at = rest.lastIndex(of: "@") {
      let words = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(words[0]),
        let word = words.count == 2 ? PercentEncoding.decode(words[1]) : ""
      else { return nil }
      (user, password) = (name, word)
      rest = rest[rest.index(after: at)...]
    }
    guard let endpoint = Endpoint("http://\(rest)") else { return nil }
    return Proxy(host: endpoint.host, port: Int(endpoint.port ?? 80), user: user, password: password)
  }

  /// Whether NO_PROXY names the host: itself, a domain that it is in, or `*`.
  static func isExcepted(_ endpoint: Endpoint, _ list: String) -> Bool {
    list.split(separator: ",").contains { entry in
      var name = entry.filter { $0 != " " }.lowercased()
      if name == "*" { return true }
      if let colon = name.lastIndex(of: ":"), !name.contains("]") || name[colon...].contains("]") == false {
        guard name[name.index(after: colon)...] == "\(endpoint.port ?? (endpoint.isSecure ? 443 : 80))" else {
          return false
        }
        name = String(name[..<colon])
      }
      while name.hasPrefix(".") { name.removeFirst() }
      return !name.isEmpty && (endpoint.host == name || endpoint.host.hasSuffix(".\(name)"))
    }
  }
}
