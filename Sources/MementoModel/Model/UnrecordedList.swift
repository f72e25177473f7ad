// The paths that were there but are not in a snapshot. A restore of the snapshot never removes or overwrites them.

package enum UnrecordedList {
  /// Encodes one line for each path: `problem` or `note`, the path, and the message. Both are percent-encoded.
  package static func encode(_ problems: [Problem]) -> [UInt8] {
    var text = ""
    for problem in problems.sorted(by: { $0.path < $1.path }) {
      text += "\(problem.isNote ? "note" : "problem") \(PercentText.encode(problem.path.bytes)) "
      text += "\(PercentText.encode(problem.message.utf8))\n"
    }
    return Array(text.utf8)
  }

  /// Decodes a list. Throws when a line is not valid.
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
