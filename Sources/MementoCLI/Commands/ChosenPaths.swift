// PATHs of the command line, as paths and pathspecs relative to the folder.

import MementoKit
import MementoSystem

/// What the PATHs of a command select. Everything when there are neither paths nor pathspecs.
struct ChosenPaths {
  var paths: [BytePath] = []
  /// With these, paths count as well.
  var pathspecs: [Pathspec] = []

  /// The paths to bring of a remote: everything when a pattern decides.
  var toBring: [BytePath] { pathspecs.isEmpty ? paths : [] }

  /// The same, with no path where one of them is the folder itself.
  var collapsed: ChosenPaths {
    pathspecs.isEmpty && paths.contains(where: \.bytes.isEmpty) ? ChosenPaths() : self
  }
}

extension Session {
  /// Reads PATHs. The empty path is the folder itself. One that spells a path which the folder has, or one of these
  /// snapshots, means that path, whatever it looks like. Any other may be a pathspec.
  func chosenPaths(
    _ arguments: [PathArgument], in repository: Repository, of revisions: [Revision?] = []
  ) throws -> ChosenPaths {
    let places = places(in: repository)
    let reader = PathspecReader(folder: places.folder, place: places.place)
    var chosen = ChosenPaths()
    for argument in arguments {
      let path = argument.path
      if try !PathspecReader.isSpecial(path.bytes) || isThere(path, places, repository, revisions) {
        chosen.paths.append(try places.relative(path))
        continue
      }
      do throws(PathspecError) {
        let pathspec = try reader.read(path.bytes)
        if path.bytes != Array(":".utf8) { chosen.pathspecs.append(pathspec) }
      } catch {
        throw ErrorReport(
          status: .usage, id: RepositoryError.Code.invalidArgument.description,
          "\(TerminalText.escaped(path)): \(error.message)", advice: Advice.pathspecs, path: path)
      }
    }
    return chosen
  }

  /// Whether the folder or one of the snapshots has a path that is spelled like this.
  private func isThere(
    _ path: BytePath, _ places: FolderPaths, _ repository: Repository, _ revisions: [Revision?]
  ) throws -> Bool {
    let absolute = path.isAbsolute ? path : places.directory.appending(path.bytes)
    if Paths.exists(absolute) { return true }
    guard let relative = try? places.relative(path) else { return false }  // such a path is refused as a pathspec, too
    for revision in revisions {
      do {
        _ = try repository.entry(revision ?? .position, path: relative)
        return true
      } catch {
        // The command itself says what is wrong with the snapshot.
      }
    }
    return false
  }
}
