// An entry of a folder as a line: its size, and its name.

import MementoKit
import MementoText

enum TreeLines {
  /// `name` is relative to the folder that is shown, which is `folder` in the snapshot.
  static func line(_ name: BytePath, _ entry: FileEntry, in folder: BytePath) -> DetailLine {
    let shown = TerminalText.escaped(name)
    let isFolder = entry.type == .directory
    let text =
      switch entry.type {
      case .directory: padded("") + shown + "/"
      case .file: padded(Quantity.bytes(entry.size)) + shown
      case .link: padded("") + shown + " -> " + TerminalText.escaped(entry.target ?? [])
      default: padded("") + shown + " (\(entry.type.description))"
      }
    let ink: Ink =
      switch entry.type {
      case .directory: .folder
      case .link: .name
      default: .plain
      }
    return DetailLine(text, ink, path: folder.appending(name.bytes), isFolder: isFolder)
  }

  private static func padded(_ size: String) -> String {
    String(repeating: " ", count: max(0, 10 - size.count)) + size + "  "
  }
}
