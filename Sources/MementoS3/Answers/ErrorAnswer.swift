// What an engine says when it does not do what it is asked for.

/// `<Error><Code>…</Code><Message>…</Message>…</Error>`.
struct ErrorAnswer: Equatable {
  let code: String
  let message: String
  /// Where the bucket is, if the request went to another region.
  let region: String?

  /// Nil for anything else: a page of a proxy, or of a web server.
  init?(_ bytes: [UInt8]) {
    // What is no XML is no such answer; the caller goes by the status then.
    guard let fields = try? XMLFields(bytes) else { return nil }
    // The token service wraps it.
    let prefix = fields.root == "ErrorResponse" ? "Error/" : ""
    guard ["Error", "ErrorResponse"].contains(fields.root), let code = fields["\(prefix)Code"],
      (1...100).contains(code.utf8.count), code.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { return nil }
    self.code = code
    message = fields["\(prefix)Message"] ?? ""
    region = fields["Region"]
  }
}
