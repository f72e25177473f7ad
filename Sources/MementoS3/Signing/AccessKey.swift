// What signs requests.

internal import MementoTime

/// Credentials of AWS. Nothing that prints this value shows any of it.
struct AccessKey: Equatable, Sendable {
  let id: String
  let secret: String
  /// Belongs to a key that is valid for a while only.
  var sessionToken: String?
  /// Until when it is valid; nil when it stays so.
  var expires: Timestamp?

  init(id: String, secret: String, sessionToken: String? = nil, expires: Timestamp? = nil) {
    self.id = id
    self.secret = secret
    self.sessionToken = sessionToken
    self.expires = expires
  }

  /// Whether it can go into the headers of a request.
  var isUsable: Bool {
    [id, secret, sessionToken ?? "-"].allSatisfy { text in
      !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
  }
}

extension AccessKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  var description: String { "an access key" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
