// A folder that a repository is looked for in, opened once: who it belongs to and what lies in it are asked of the
// descriptor, never of its path again.

internal import MementoSystem

struct OpenFolder: Sendable {
  /// Absolute and without links, where the system can tell it.
  let path: BytePath
  let shared: SharedDescriptor
  let status: FileStatus

  var identity: FileIdentity { status.identity }

  /// Opens the folder that a path leads to; links are followed.
  init(_ given: BytePath) throws(RepositoryError) {
    do throws(Errno) {
      try self.init(opening: given)
    } catch {
      throw RepositoryError(.system, "cannot open \(given): \(error)", path: given, systemError: error.code)
    }
  }

  /// Which folder a path leads to; nil where that is none, or one that this user may not look at.
  static func identity(ifThere path: BytePath) throws(RepositoryError) -> FileIdentity? {
    do throws(Errno) {
      return try OpenFolder(opening: path).identity
    } catch {
      switch error {
      case .notFound, .notDirectory, .permissionDenied, .loop, .nameTooLong: return nil
      default:
        throw RepositoryError(.system, "cannot open \(path): \(error)", path: path, systemError: error.code)
      }
    }
  }

  init(opening given: BytePath) throws(Errno) {
    try self.init(adopting: try Descriptor.open(given.bytes, .namedDirectory), path: given)
  }

  /// `path`: what the folder is called where the system does not tell.
  init(adopting folder: consuming Descriptor, path: BytePath) throws(Errno) {
    status = try folder.status()
    self.path = try folder.path().map { BytePath($0) } ?? path
    shared = SharedDescriptor(folder)
  }

  /// The folder above it; nil at the root, on another file system, as in git, and where it may not be looked at.
  func above() throws(RepositoryError) -> OpenFolder? {
    guard path.components.count > 0 else { return nil }
    do throws(Errno) {
      let above = try OpenFolder(opening: path.parent)
      return above.status.device == status.device ? above : nil
    } catch {
      if error == .permissionDenied { return nil }
      throw RepositoryError(
        .system, "cannot open \(path.parent): \(error)", path: path.parent, systemError: error.code)
    }
  }

  /// Whether this folder is `other` or lies below it.
  func isIn(_ other: OpenFolder) throws(RepositoryError) -> Bool {
    if path.components.starts(with: other.path.components) || identity == other.identity { return true }
    // Mounted somewhere else, too: then its path begins otherwise.
    var folder = try above()
    while let next = folder {
      if next.identity == other.identity { return true }
      folder = try next.above()
    }
    return false
  }
}

extension BytePath {
  /// The folder that holds it.
  var parent: BytePath {
    let up = components.dropLast().joined(separator: [UInt8(ascii: "/")])
    return BytePath((isAbsolute ? [UInt8(ascii: "/")] : []) + up)
  }
}
