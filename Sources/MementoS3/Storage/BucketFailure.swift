// What an engine refuses, as errors: each kind has its own word for people.

internal import MementoObjects
internal import MementoSystem
internal import MementoTime

/// An answer that is not the one that was hoped for.
struct BucketFailure {
  let status: Int
  /// Such as `NoSuchKey`; nil when the engine gives none, or something that is no engine has answered.
  let code: String?
  private let message: String
  private let answer: HTTPAnswer

  init(_ answer: HTTPAnswer) {
    self.answer = answer
    status = answer.status
    let said = ErrorAnswer(answer.body)
    code = said?.code
    message = said?.message ?? ""
  }

  /// Whether it may be otherwise the next time.
  var isPassing: Bool {
    switch code {
    case "RequestTimeout", "SlowDown", "InternalError", "ServiceUnavailable", "OperationAborted",
      "ConditionalRequestConflict", "Throttling", "ThrottlingException", "RequestLimitExceeded":
      true
    case "NotImplemented", "XMinioStorageFull", "InsufficientStorage": false
    // A success of another kind is the answer to another request.
    default: [408, 429, 500, 502, 503, 504].contains(status) || (200..<300).contains(status)
    }
  }

  /// Whether a smaller request may be taken. Some that say so have no space left.
  var isTooLarge: Bool { status == 413 || code == "EntityTooLarge" }

  /// The pause that the engine asks for, in seconds.
  var pause: Double { answer["retry-after"].flatMap { Double($0) } ?? 0 }

  /// The region in which the bucket is, when it is not the one of the request.
  var region: String? {
    guard [301, 302, 307, 308, 400, 403].contains(status) else { return nil }
    if status == 403, code != nil { return nil }
    return answer["x-amz-bucket-region"] ?? ErrorAnswer(answer.body)?.region
  }

  /// Where to ask instead.
  var location: String? { [301, 302, 307, 308].contains(status) ? answer["location"] : nil }

  /// How far the clock here is ahead of that of the engine, in seconds; nil when it does not say.
  private var lead: Int64? {
    guard let time = answer["date"].flatMap(AnswerTime.init(http:)) else { return nil }
    let (lead, overflow) = Clock.now().seconds.subtractingReportingOverflow(time.value.seconds)
    return overflow ? nil : lead
  }

  /// Beyond this, engines refuse a signature. In seconds.
  private static let tolerance: Int64 = 15 * 60

  /// The error. `endpoint`, `bucket`: where the request went. `name`: the object; nil when it was not about one.
  func error(_ endpoint: Endpoint, _ bucket: String, _ name: ObjectName?) -> ObjectError {
    let shown = code ?? "status \(status)"
    switch code {
    case "NoSuchKey":
      if let name { return .notFound(name) }
    case "NoSuchBucket", "InvalidBucketName", "BucketNotFound":
      return ObjectError(.noSuchPlace, name, "there is no bucket \(bucket) at \(endpoint)")
    case "RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture":
      return ObjectError(.clock, name, clockReason)
    case "QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "InsufficientStorage",
      "EntityTooLarge", "InsufficientCapacity", "StorageFull":
      return ObjectError(.full, name, "no space or quota is left in the bucket \(bucket) (\(shown))")
    case "InvalidAccessKeyId":
      return ObjectError(.denied, name, "the access key is not known there (\(shown))")
    case "SignatureDoesNotMatch":
      return ObjectError(.denied, name, "the secret of the access key is wrong (\(shown))")
    case "ExpiredToken", "TokenRefreshRequired":
      return ObjectError(.denied, name, "the credentials have expired (\(shown))")
    default: break
    }
    switch status {
    case 401, 403:
      if let lead, abs(lead) > BucketFailure.tolerance { return ObjectError(.clock, name, clockReason) }
      return ObjectError(.denied, name, "the credentials do not allow this (\(shown))")
    case 413, 507:
      return ObjectError(.full, name, "no space or quota is left in the bucket \(bucket) (\(shown))")
    case 301, 302, 307, 308:
      return ObjectError(.unreachable, name, "\(endpoint) sends elsewhere, where requests do not go (\(shown))")
    case 500...599:
      return ObjectError(.failed, name, "the engine failed: \(shown)")
    default:
      if code == nil {
        return ObjectError(.garbled, name, "\(endpoint) does not answer as an object store does (\(shown))")
      }
      let detail = message.isEmpty ? "" : ": \(message.prefix(200).filter { !$0.isNewline })"
      return ObjectError(.failed, name, "the engine refuses the request: \(shown)\(detail)")
    }
  }

  private var clockReason: String {
    guard let lead, abs(lead) >= 60 else { return "the clock here is not that of the engine" }
    return "the clock here is \(abs(lead) / 60) minutes \(lead > 0 ? "ahead of" : "behind") that of the engine"
  }
}

extension ObjectError {
  /// The network has failed.
  init(_ error: TransportError, _ endpoint: Endpoint, _ name: ObjectName?) {
    if case .unread(let reason) = error.kind {
      self = reason
      return
    }
    let kind: Kind =
      switch error.kind {
      case .unreachable, .silent, .broken: .unreachable
      case .untrusted: .untrusted
      case .denied: .denied
      case .cancelled: .cancelled
      case .local, .unread: .local
      }
    self.init(kind, name, kind == .cancelled ? error.reason : "\(endpoint): \(error.reason)")
  }
}
