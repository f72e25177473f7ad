// What a snapshot does not hold although it was there: no restore of it ever removes or overwrites these paths.

package enum UnrecordedList {
  /// A line a path: `problem` or `note`, the path, the message; both percent-encoded.
  package static func encode(_ problems: [Problem]) -> [UInt8] {
    var text = ""
    for problem in problems.sorted(by: { $0.path < $1.path }) {
      text += "\(problem.isNote ? "note" : "problem") \(PercentText.encode(problem.path.bytes)) "
      text += "\(PercentText.encode(problem.message.utf8))\n"
    }
    return Array(text.utf8)
  }

  package static func decode(_ bytes: [UInt8]) throws(FormatError) -> [Problem] {
    var result: [Problem] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
      guard words.count == 3, words[0] == "note" || words[0] == "problem",
        let path = PercentText.decode(String(words[1])), let message = PercentText.decode(String(words[2]))
      else { throw FormatError("a line of the list of unrecorded paths is not understood") }
      result.append(
        Problem(
          path: BytePath(path), message: String(decoding: message, as: UTF8.self), isNote: words[0] == "note"))
    }
    return result
  }
}
