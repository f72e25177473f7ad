// Reads `refs` with few states, as docs/format.md describes it, without the code that wrote it.

/// The names of a store, and the steps and the position of each of its folders.
package struct RefsText: Equatable, Sendable {
  /// What is written about one folder.
  package struct Folder: Equatable, Sendable {
    package fileprivate(set) var steps: [String] = []
    /// The paths that each step concerns; none for the whole folder.
    package fileprivate(set) var paths: [[[UInt8]]] = []
    package fileprivate(set) var position: Int?
    package fileprivate(set) var isRestorePending = false
  }

  /// The id of each state: 64 digits.
  package private(set) var states: [String: String] = [:]
  package private(set) var main = Folder()
  package private(set) var forks: [(path: [UInt8], folder: Folder)] = []

  package static func == (one: RefsText, other: RefsText) -> Bool {
    one.states == other.states && one.main == other.main
      && one.forks.elementsEqual(other.forks) { $0.path == $1.path && $0.folder == $1.folder }
  }

  package init(_ bytes: [UInt8]) {
    // From version 4 on, each step has its age before the paths.
    var pathsStart = 4
    var folder = Folder()
    func end(_ forks: inout [(path: [UInt8], folder: Folder)], _ main: inout Folder) {
      if forks.isEmpty { main = folder } else { forks[forks.count - 1].folder = folder }
      folder = Folder()
    }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let text = String(decoding: line, as: UTF8.self)
      let words = text.split(separator: " ", maxSplits: 1).map(String.init)
      switch words[0] {
      case "memento": pathsStart = ["memento refs 4", "memento refs 5", "memento refs 6"].contains(text) ? 5 : 4
      case "fork":
        end(&forks, &main)
        forks.append((RefsText.bytes(text.split(separator: " ").map(String.init)[2]), Folder()))
      case "checksum", "generation", "clock", "trash", "trash-list", "did", "note": break
      case "position": folder.position = Int(words[1])
      case "step":
        let words = text.split(separator: " ").map(String.init)
        folder.steps.append(words[3])
        folder.paths.append(words.dropFirst(pathsStart).map(RefsText.bytes))
      case "pending": folder.isRestorePending = true
      case "keep": break
      default: states[words[1]] = words[0]
      }
    }
    end(&forks, &main)
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
