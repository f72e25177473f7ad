// What is shown of the selected entry.

package import MementoKit

/// The ways to look at an entry.
package enum DetailContent: Hashable, Sendable {
  /// The lines that differ, of all files or of one.
  case diff(BytePath?)
  /// The files that differ, with the numbers of lines.
  case stat
  /// The files of a folder in the snapshot; an empty path is the folder that is saved.
  case tree(BytePath)
  /// The content of a file in the snapshot.
  case file(BytePath)
}

/// One line. Its text can be shown as it is: nothing in it controls a terminal.
package struct DetailLine: Equatable, Sendable {
  package var text: String
  package var ink: Ink
  /// The file or folder that the line is about.
  package var path: BytePath?
  package var isFolder = false
  /// The snapshot that a restore of `path` takes it from, if it is not the one that is shown.
  package var version: SnapshotID?

  package init(_ text: String, _ ink: Ink = .plain, path: BytePath? = nil, isFolder: Bool = false) {
    self.text = text
    self.ink = ink
    self.path = path
    self.isFolder = isFolder
  }
}

/// Asks for the lines of an entry.
package struct DetailRequest: Equatable, Sendable {
  /// Answers to earlier requests are dropped.
  package let token: Int
  package let row: TimelineRow
  package let content: DetailContent
}
