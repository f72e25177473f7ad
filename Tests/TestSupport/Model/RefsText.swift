// `refs` of a few states, read as docs/format.md describes it, without the code that wrote it.

/// The names, the timeline and the position of a store.
package struct RefsText: Equatable, Sendable {
  /// What each name means: 64 digits.
  package private(set) var states: [String: String] = [:]
  package private(set) var steps: [String] = []
  package private(set) var position: Int?
  package private(set) var isRestorePending = false

  package init(_ bytes: [UInt8]) {
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let text = String(decoding: line, as: UTF8.self)
      let words = text.split(separator: " ", maxSplits: 1).map(String.init)
      switch words[0] {
      case "memento", "checksum", "generation", "clock", "trash", "trash-list": break
      case "position": position = Int(words[1])
      case "step": steps.append(String(text.split(separator: " ")[3]))
      case "pending": isRestorePending = true
      case "keep": break
      default: states[words[1]] = words[0]
      }
    }
  }
}
