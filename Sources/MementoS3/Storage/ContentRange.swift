// What part of an object an answer has.

/// The header `Content-Range: bytes 0-9/443`.
struct ContentRange: Equatable {
  let first: UInt64
  let last: UInt64
  let total: UInt64

  init?(_ answer: HTTPAnswer) {
    guard let text = answer["content-range"] else { return nil }
    self.init(text)
  }

  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let total = UInt64(parts[1]) else { return nil }
    let range = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard range.count == 2, let first = UInt64(range[0]), let last = UInt64(range[1]), first <= last, last < total
    else { return nil }
    (self.first, self.last, self.total) = (first, last, total)
  }
}
