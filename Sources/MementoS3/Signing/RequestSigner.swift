// Version 4 of the signatures of AWS:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html

internal import Crypto
internal import FoundationEssentials
internal import MementoTime

/// Signs requests to one service in one region.
struct RequestSigner: Sendable {
  let key: AccessKey
  let region: String
  var service = "s3"

  /// SHA-256 of no bytes.
  static let emptyHash = hash([])

  static func hash(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes(hash(of:)) }

  static func hash(of bytes: UnsafeRawBufferPointer) -> String {
    var hasher = SHA256()
    hasher.update(bufferPointer: bytes)
    return hex(hasher.finalize())
  }

  /// The headers to send, with the signature: those that are given and those that belong to it. `path` and `query` are
  /// percent-encoded, and the parts of `query` sorted. `headers` has the host.
  func signed(
    method: String, path: String, query: String, headers: [(name: String, value: String)], payloadHash: String,
    at time: Timestamp
  ) -> [(name: String, value: String)] {
    let stamp = RequestSigner.stamp(time)
    var headers = headers
    headers.append(("x-amz-content-sha256", payloadHash))
    headers.append(("x-amz-date", stamp))
    if let token = key.sessionToken { headers.append(("x-amz-security-token", token)) }

    let canonical = headers.map { (name: $0.name.lowercased(), value: RequestSigner.trimmed($0.value)) }
      .sorted { $0.name < $1.name }
    let names = canonical.map(\.name).joined(separator: ";")
    let request = """
      \(method)
      \(path)
      \(query)
      \(canonical.map { "\($0.name):\($0.value)\n" }.joined())
      \(names)
      \(payloadHash)
      """
    let scope = "\(stamp.prefix(8))/\(region)/\(service)/aws4_request"
    let text = "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n\(RequestSigner.hash(Array(request.utf8)))"
    var signature = Array("AWS4\(key.secret)".utf8)
    for part in [String(stamp.prefix(8)), region, service, "aws4_request", text] {
      let code = HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: SymmetricKey(data: signature))
      signature = Array(code)
    }
    headers.append(
      (
        "Authorization",
        "AWS4-HMAC-SHA256 Credential=\(key.id)/\(scope),SignedHeaders=\(names),Signature=\(RequestSigner.hex(signature))"
      ))
    return headers
  }

  /// `20130524T000000Z`
  static func stamp(_ time: Timestamp) -> String {
    String(time.rfc3339.prefix(19)).filter { $0 != "-" && $0 != ":" } + "Z"
  }

  /// Without the spaces around it, and one space where there are several.
  private static func trimmed(_ value: String) -> String {
    value.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
  }

  static func hex(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
