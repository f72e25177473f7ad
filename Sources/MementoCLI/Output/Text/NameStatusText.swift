// A letter and a path for each change.

import MementoKit

enum NameStatusText {
  /// For example `M src/main.c` or `R old -> new`.
  static func line(_ change: FileChange) -> String {
    let old = change.oldPath.map { TerminalText.escaped($0) + " -> " } ?? ""
    return "\(StatusText.letter(change.kind)) \(old)\(TerminalText.escaped(change.path))"
  }

  /// A letter, a space, the bytes of the path, NUL. A rename then has the old path and NUL.
  static func record(_ change: FileChange) -> [UInt8] {
    let old = change.oldPath.map { $0.bytes + [0] } ?? []
    return Array("\(StatusText.letter(change.kind)) ".utf8) + change.path.bytes + [0] + old
  }
}
