// Keys as services and programs hand them out.

internal import FoundationEssentials
internal import MementoObjects
internal import MementoTime

extension AccessKey {
  /// The JSON of a container, of an instance, or of a program. Nil when it has no key.
  init?(json bytes: [UInt8]) {
    struct Document: Decodable {
      var id: String
      var secret: String
      var token: String?
      var sessionToken: String?
      var expiration: String?

      enum CodingKeys: String, CodingKey {
        case id = "AccessKeyId"
        case secret = "SecretAccessKey"
        case token = "Token"
        case sessionToken = "SessionToken"
        case expiration = "Expiration"
      }
    }
    // Whatever it is, it has no key then.
    guard bytes.count <= 64 << 10, let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)) else {
      return nil
    }
    self.init(
      id: document.id, secret: document.secret, token: document.sessionToken ?? document.token,
      expiration: document.expiration)
  }

  /// The XML of the token service. `action`: what was asked for, such as `AssumeRole`.
  init?(xml bytes: [UInt8], action: String) {
    // Whatever it is, it has no key then.
    guard let fields = try? XMLFields(bytes) else { return nil }
    let place = "\(action)Result/Credentials"
    guard let id = fields["\(place)/AccessKeyId"], let secret = fields["\(place)/SecretAccessKey"],
      let token = fields["\(place)/SessionToken"]
    else { return nil }
    self.init(id: id, secret: secret, token: token, expiration: fields["\(place)/Expiration"])
  }

  /// Nil when it cannot be used.
  private init?(id: String, secret: String, token: String?, expiration: String?) {
    var expires: Timestamp?
    if let expiration {
      guard let time = AnswerTime(iso8601: expiration) ?? AnswerTime(iso8601: expiration.replacing("+00:00", with: "Z"))
      else { return nil }
      expires = time.value
    }
    self.init(id: id, secret: secret, sessionToken: token.flatMap { $0.isEmpty ? nil : $0 }, expires: expires)
    if !isUsable { return nil }
  }
}
