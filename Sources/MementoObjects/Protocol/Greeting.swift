// The line that each side sends first. A shell that prints something of its own is found out by it.

/// `memento-objects 1 requests=16`: the name of the protocol, the highest version that this side knows, and what belongs to
/// it. Words that are not known are passed over.
struct Greeting: Equatable {
  let version: Int
  /// How many requests may be under way at once.
  let requests: Int

  static let version = 1

  var line: [UInt8] { Array("memento-objects \(version) requests=\(requests)\n".utf8) }

  init(version: Int = Greeting.version, requests: Int) {
    self.version = version
    self.requests = requests
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
  }
}
