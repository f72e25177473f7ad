// The line that each side sends first. A shell that prints something of its own is found out by it.

/// `memento-objects 1 requests=16 hashes=sha256`: the name of the protocol, the highest version that this side knows, and what belongs to
/// it. Words that are not known are passed over.
struct Greeting: Equatable {
  let version: Int
  /// How many requests may be under way at once.
  let requests: Int
  /// Whether a put may tell the SHA-256 of its content.
  let takesHashes: Bool

  static let version = 1

  private static let hashes = "hashes=sha256"

  var line: [UInt8] {
    Array("memento-objects \(version) requests=\(requests)\(takesHashes ? " \(Greeting.hashes)" : "")\n".utf8)
  }

  init(version: Int = Greeting.version, requests: Int, takesHashes: Bool = false) {
    self.version = version
    self.requests = requests
    self.takesHashes = takesHashes
  }

  /// `line`: without its end. Nil when it is no greeting.
  init?(_ line: some Collection<UInt8>) {
    let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    guard words.count >= 2, words[0] == "memento-objects", words[1].count <= 6, let version = Int(words[1]),
      version >= 1
    else { return nil }
    self.version = version
    var requests = 1
    for word in words.dropFirst(2) where word.utf8.starts(with: "requests=".utf8) {
      guard word.utf8.count <= 15, let number = Int(word.dropFirst(9)), number >= 1 else { return nil }
      requests = min(number, 1024)
    }
    self.requests = requests
    takesHashes = words.dropFirst(2).contains(Greeting.hashes)
  }
}
