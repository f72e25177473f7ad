// A folder in which a store is looked for. It is opened once. Its owner and its content are read through the
// descriptor, not by its path.

internal import MementoSystem

struct OpenFolder: Sendable {
  /// Absolute and without links, if the system can tell the path.
  let path: BytePath
  let shared: SharedDescriptor
  let status: FileStatus

  var identity: FileIdentity { status.identity }

  /// Opens the folder that a path leads to; follows links.
  init(_ given: BytePath) throws(RepositoryError) {
    do throws(Errno) {
      try self.init(opening: given)
    } catch {
      throw RepositoryError(.system, "cannot open \(given): \(error)", path: given, systemError: error.code)
    }
  }

  /// The identity of the folder that a path leads to. Nil when there is no folder, or this user may not look at it.
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

  /// `path`: the path for a system that cannot tell the path of a descriptor.
  init(adopting folder: consuming Descriptor, path: BytePath) throws(Errno) {
    status = try folder.status()
    self.path = try folder.path().map { BytePath($0) } ?? path
    shared = SharedDescriptor(folder)
  }

  /// The parent folder. Nil at the root, at the border of the file system (as in git), and where this user may not look
  /// at it.
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

  /// Whether this folder is `other` or is below it.
  func isIn(_ other: OpenFolder) throws(RepositoryError) -> Bool {
    if path.components.starts(with: other.path.components) || identity == other.identity { return true }
    // The folder may be mounted in two places, and its path then begins differently.
    var folder = try above()
    while let next = folder {
      if next.identity == other.identity { return true }
      folder = try next.above()
    }
    return false
  }
}

extension BytePath {
  /// The path of the parent folder.
  var parent: BytePath {
    let up = components.dropLast().joined(separator: [UInt8(ascii: "/")])
    return BytePath((isAbsolute ? [UInt8(ascii: "/")] : []) + up)
  }
}
