// The services that hand out keys: the token service of AWS, that of a container, and that of an instance.

internal import MementoObjects
internal import MementoSystem
internal import MementoTime
internal import NIOCore

/// How they are reached.
struct KeyServices: Sendable {
  typealias Fetch = @Sendable (_ request: HTTPRequest, _ patience: Double) throws(TransportError) -> HTTPAnswer

  let environment: [String: String]
  /// Sends a request to a service of AWS.
  let fetch: Fetch
  /// Sends a request to this machine, without a proxy.
  let fetchHere: Fetch

  /// Seconds. What is not there does not answer.
  private static let patienceHere = 2.0
  private static let patience = 15.0

  private func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

  private func attempt(
    _ who: String, _ fetch: Fetch, _ request: HTTPRequest, _ patience: Double
  ) throws(ObjectError) -> HTTPAnswer {
    do throws(TransportError) {
      return try fetch(request, patience)
    } catch {
      let kind: ObjectError.Kind =
        switch error.kind {
        case .untrusted: .untrusted
        case .cancelled: .cancelled
        case .local: .local
        default: .unreachable
        }
      throw ObjectError(kind, "\(who) cannot be asked for credentials: \(error.reason)")
    }
  }

  // MARK: The token service

  /// A key of a role. `key`: what signs the request; nil when a token is proof enough. `parameters`: of the action.
  func role(
    _ action: String, _ parameters: [(name: String, value: String)], region: String, key: AccessKey?
  ) throws(ObjectError) -> AccessKey {
    let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    let given = variable("AWS_ENDPOINT_URL_STS")
    guard let endpoint = Endpoint(given ?? "https://sts.\(region).\(domain)") else {
      throw ObjectError(.local, "AWS_ENDPOINT_URL_STS is not http[s]://HOST[:PORT]")
    }
    let body = Array(
      RequestTarget.query(parameters + [("Action", action), ("Version", "2011-06-15")]).utf8)
    var headers = [
      (name: "Host", value: endpoint.authority),
      (name: "Content-Type", value: "application/x-www-form-urlencoded; charset=utf-8"),
    ]
    if let key {
      headers = RequestSigner(key: key, region: region, service: "sts").signed(
        method: "POST", path: "/", query: "", headers: headers, payloadHash: RequestSigner.hash(body), at: Clock.now())
    }
    let request = HTTPRequest(
      method: "POST", url: "\(endpoint)/", headers: headers, body: .bytes(ByteBuffer(bytes: body)))
    let answer = try attempt("the token service", fetch, request, KeyServices.patience)
    guard answer.status == 200 else {
      let code = ErrorAnswer(answer.body)?.code ?? "status \(answer.status)"
      throw ObjectError(.denied, "the token service gives no credentials for the role: \(code)")
    }
    guard let found = AccessKey(xml: answer.body, action: action) else {
      throw ObjectError(.garbled, "the answer of the token service makes no sense")
    }
    return found
  }

  // MARK: Containers

  /// The key of a container; nil when this is none.
  func container() throws(ObjectError) -> AccessKey? {
    let url: String
    if let path = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
      url = "http://169.254.170.2\(path)"
    } else if let full = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI") {
      guard KeyServices.mayHaveToken(full) else {
        throw ObjectError(.denied, "AWS_CONTAINER_CREDENTIALS_FULL_URI names a host that is not of this machine")
      }
      url = full
    } else {
      return nil
    }
    var token = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN")
    if let path = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
      token = try Profiles.contents(path, home: nil).map { String(decoding: $0, as: UTF8.self) }
    }
    var request = HTTPRequest(method: "GET", url: url)
    if let token { request.headers.append(("Authorization", token.filter { !$0.isNewline })) }
    let answer = try attempt("the container", fetchHere, request, KeyServices.patienceHere)
    guard answer.status == 200, let key = AccessKey(json: answer.body) else {
      throw ObjectError(.denied, "the container gives no credentials (status \(answer.status))")
    }
    return key
  }

  /// Only these hosts may get the token without TLS.
  private static func mayHaveToken(_ url: String) -> Bool {
    if url.hasPrefix("https://") { return true }
    guard url.hasPrefix("http://") else { return false }
    let authority = url.dropFirst(7).prefix { $0 != "/" && $0 != "?" }
    guard let endpoint = Endpoint("http://\(authority)") else { return false }
    return ["localhost", "127.0.0.1", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"]
      .contains(endpoint.host)
  }

  // MARK: Instances

  /// The key of an instance; nil when this machine is none, or has no role.
  func instance() throws(ObjectError) -> AccessKey? {
    if variable("AWS_EC2_METADATA_DISABLED")?.lowercased() == "true" { return nil }
    guard let base = Endpoint(variable("AWS_EC2_METADATA_SERVICE_ENDPOINT") ?? "http://169.254.169.254") else {
      throw ObjectError(.local, "AWS_EC2_METADATA_SERVICE_ENDPOINT is not http://HOST[:PORT]")
    }
    func ask(_ method: String, _ path: String, _ header: (String, String)) -> [UInt8]? {
      let request = HTTPRequest(method: method, url: "\(base)/latest/\(path)", headers: [header])
      // Most machines are no instances: nobody answers there.
      guard let answer = try? fetchHere(request, KeyServices.patienceHere), answer.status == 200 else { return nil }
      return answer.body.count <= 64 << 10 ? answer.body : nil
    }
    func word(_ bytes: [UInt8]) -> String? {
      let text = String(decoding: bytes.prefix { $0 != 0x0a && $0 != 0x0d }, as: UTF8.self)
      return !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? text : nil
    }
    guard let token = ask("PUT", "api/token", ("X-aws-ec2-metadata-token-ttl-seconds", "21600")).flatMap(word) else {
      return nil
    }
    let proof = ("X-aws-ec2-metadata-token", token)
    let roles = "meta-data/iam/security-credentials/"
    guard let role = ask("GET", roles, proof).flatMap(word),
      let document = ask("GET", roles + PercentEncoding.encode(role.utf8), proof)
    else { return nil }
    return AccessKey(json: document)
  }
}
