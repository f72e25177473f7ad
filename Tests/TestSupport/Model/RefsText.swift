// Reads `refs` with few states, as docs/format.md describes it, without the code that wrote it.

/// The names, the timeline and the position of a store.
package struct RefsText: Equatable, Sendable {
  /// The id of each state: 64 digits.
  package private(set) var states: [String: String] = [:]
  package private(set) var steps: [String] = []
  /// The paths that each step concerns; none for the whole folder.
  package private(set) var paths: [[[UInt8]]] = []
  package private(set) var position: Int?
  package private(set) var isRestorePending = false

  package init(_ bytes: [UInt8]) {
    // From version 4 on, each step has its age before the paths.
    var pathsStart = 4
    var isOfFork = false
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let text = String(decoding: line, as: UTF8.self)
      let words = text.split(separator: " ", maxSplits: 1).map(String.init)
      if isOfFork, ["position", "step", "pending", "keep"].contains(words[0]) { continue }
      switch words[0] {
      case "memento": pathsStart = ["memento refs 4", "memento refs 5", "memento refs 6"].contains(text) ? 5 : 4
      case "fork": isOfFork = true
      case "checksum", "generation", "clock", "trash", "trash-list", "did", "note": break
      case "position": position = Int(words[1])
      case "step":
        let words = text.split(separator: " ").map(String.init)
        steps.append(words[3])
        paths.append(words.dropFirst(pathsStart).map(RefsText.bytes))
      case "pending": isRestorePending = true
      case "keep": break
      default: states[words[1]] = words[0]
      }
    }
  }

  /// Decodes percent-encoded text.
  private static func bytes(_ text: String) -> [UInt8] {
    var parts = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)[...]
    var bytes = Array(parts.removeFirst())
    for part in parts {
      bytes.append(UInt8(String(decoding: part.prefix(2), as: UTF8.self), radix: 16) ?? 0)
      bytes += part.dropFirst(2)
    }
    return bytes
  }
}
