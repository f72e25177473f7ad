// Turns paths of the command line, which are relative to the current directory, into paths relative to the repository's
// folder.

import MementoKit
import MementoSystem

struct FolderPaths {
  /// The directory in which the command was started, absolute.
  let directory: BytePath
  /// The repository's folder, absolute.
  let folder: BytePath

  init(directory: BytePath, folder: BytePath) {
    self.directory = directory
    // The store knows its folder as a path without links. If the folder is gone or cannot be read, its path is used as
    // given. At worst, a PATH is then refused.
    self.folder = (try? Paths.canonical(folder)) ?? folder
  }

  /// Whether the command was started in the folder or below it.
  var isDirectoryInside: Bool { below(directory.components) != nil }

  /// Where in the folder the command was started: empty at its top, and outside of it.
  var place: BytePath { below(directory.components) ?? BytePath("") }

  /// A path of the command line, relative to the folder; empty for the folder itself. Throws when it is not in the
  /// folder.
  func relative(_ path: BytePath) throws -> BytePath {
    let absolute = path.isAbsolute ? path : directory.appending(path.bytes)
    if let below = below(FolderPaths.normalized(absolute)) { return below }
    // The path may lead into the folder through symbolic links. Only its parent is resolved, because the last name may
    // itself be a link that was saved.
    let components = absolute.components
    let parent = BytePath([UInt8(ascii: "/")] + Array(components.dropLast().joined(separator: [UInt8(ascii: "/")])))
    if let last = components.last {
      do {
        let parent = try Paths.canonical(parent)
        if let below = below(FolderPaths.normalized(parent.appending(last))) { return below }
      } catch {
        guard FolderPaths.leadsNowhere(error) else { throw ErrorReport.system("follow", path, error) }
      }
    }
    throw ErrorReport(
      status: .usage, id: RepositoryError.Code.invalidArgument.description,
      "\(TerminalText.escaped(path)) is not in the folder \(TerminalText.escaped(folder))",
      path: path)
  }

  /// Whether the path ends before its last name: a name on the way is missing, no folder, or closed to this user.
  private static func leadsNowhere(_ error: Errno) -> Bool {
    [.notFound, .notDirectory, .permissionDenied, .loop, .nameTooLong].contains(error)
  }

  private func below(_ components: [[UInt8]]) -> BytePath? {
    let root = folder.components
    guard components.starts(with: root) else { return nil }
    return BytePath(Array(components.dropFirst(root.count).joined(separator: [UInt8(ascii: "/")])))
  }

  /// The names of an absolute path, with `.` and `..` resolved as text. The file system is not asked, because a path in
  /// a snapshot need not exist on disk.
  static func normalized(_ path: BytePath) -> [[UInt8]] {
    var names: [[UInt8]] = []
    for name in path.components {
      if name == Array("..".utf8) {
        _ = names.popLast()
      } else if name != Array(".".utf8) {
        names.append(name)
      }
    }
    return names
  }
}
