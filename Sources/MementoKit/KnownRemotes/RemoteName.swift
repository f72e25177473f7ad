// The rules for names of remotes.

enum RemoteName {
  static let longest = 64

  /// Throws `.invalidName`, with the reason, when a remote cannot have this name. It is a part of names of states and the
  /// name of a folder.
  static func validate(_ name: String) throws(RepositoryError) {
    if let reason = refusal(name) {
      throw RepositoryError(
        .invalidName, "a remote cannot be called \"\(name)\": \(reason)", reason: .unusableRemoteName)
    }
  }

  static func isValid(_ name: String) -> Bool { refusal(name) == nil }

  private static func refusal(_ name: String) -> String? {
    guard let first = name.utf8.first else { return "the name is empty" }
    if name.utf8.count > longest { return "the name has more than \(longest) bytes" }
    if first == UInt8(ascii: "-") || first == UInt8(ascii: ".") { return "it begins with \(name.prefix(1))" }
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
        break
      default: return "it has other characters than A-Z a-z 0-9 . - _"
      }
    }
    return nil
  }

  /// Splits `REMOTE/NAME`. Nil when there is no slash, or what is before it cannot be a remote.
  static func split(_ text: String) -> (remote: String, rest: String)? {
    guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    let remote = String(text[..<slash])
    guard refusal(remote) == nil else { return nil }
    return (remote, String(text[text.index(after: slash)...]))
  }
}
