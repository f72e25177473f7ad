// Differences between a snapshot and the folder that are not changes by a user: a file that a rule ignores now still
// exists, and a folder that seems new and empty holds ignored files. What cannot be looked at counts as a change and is
// reported.

internal import MementoSystem

struct IgnoredDifferences {
  private let root: SharedDescriptor
  private var lookup: IgnoreLookup
  /// The folders in which it could not be found out what is hidden, and why.
  private var failures: [BytePath: Errno] = [:]

  init(root: SharedDescriptor, filter: FolderFilter) {
    self.root = root
    lookup = IgnoreLookup(root: root, filter: filter)
  }

  mutating func contains(_ path: BytePath, _ old: TreeEntry?, _ new: TreeEntry?) -> Bool {
    do throws(Errno) {
      switch (old, new) {
      case (let old?, nil): return try lookup.hides(path, isFolder: old.isDirectory)
      case (nil, let new?):
        if new.tree != TreeFormat.empty { return false }
        return try !DirectoryHandle.isEmptyFolder(path, below: root)
      default: return false
      }
    } catch {
      failures[path.parent] = error
      return false
    }
  }

  /// The problems of a walk, and those found since. A folder that the walk has reported is not reported again.
  func problems(besides known: [Problem]) -> [Problem] {
    let new = failures.filter { folder, _ in
      !known.contains { $0.path.parent == folder || folder.components.starts(with: $0.path.components) }
    }
    if new.isEmpty { return known }
    let problems = new.map { folder, error in
      Problem(
        path: folder.bytes.isEmpty ? BytePath(".") : folder, message: "what is ignored here cannot be told: \(error)")
    }
    return (known + problems).sorted { $0.path < $1.path }
  }
}

extension DirectoryHandle {
  /// Whether a folder is empty; true also when it does not exist.
  static func isEmptyFolder(_ path: BytePath, below root: SharedDescriptor) throws(Errno) -> Bool {
    var handle = DirectoryHandle(root: root, pool: HandlePool())
    for name in path.components { handle = DirectoryHandle(parent: handle, name: name) }
    do throws(Errno) {
      return try DirectoryListing(reading: handle.open().descriptor).count == 0
    } catch {
      switch error {
      case .notFound, .notDirectory, .stale, .loop: return true
      default: throw error
      }
    }
  }

  /// Whether a folder holds something; false also when that cannot be found out.
  static func surelyHoldsSomething(_ path: BytePath, below root: SharedDescriptor) -> Bool {
    do throws(Errno) {
      return try !isEmptyFolder(path, below: root)
    } catch {
      return false
    }
  }
}
