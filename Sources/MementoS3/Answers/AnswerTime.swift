// Times in answers.

internal import MementoTime

struct AnswerTime: Equatable {
  let value: Timestamp

  /// `2013-05-24T00:00:00.000Z`, with or without a fraction.
  init?(iso8601 text: String) {
    guard text.hasSuffix("Z"), (20...30).contains(text.utf8.count) else { return nil }
    let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts[0].utf8.count == 19 else { return nil }
    let fraction = parts.count == 2 ? String(parts[1]) : ""
    let nanoseconds = fraction + String(repeating: "0", count: max(0, 9 - fraction.utf8.count))
    guard let time = Timestamp(rfc3339: "\(parts[0]).\(nanoseconds)Z") else { return nil }
    value = time
  }

  /// `Fri, 24 May 2013 00:00:00 GMT`, the form of all headers.
  init?(http text: String) {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 6, words[5] == "GMT", words[1].utf8.count == 2, words[3].utf8.count == 4,
      let month = months.firstIndex(of: words[2])
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    self.init(iso8601: "\(words[3])-\(number)-\(words[1])T\(words[4])Z")
  }
}
