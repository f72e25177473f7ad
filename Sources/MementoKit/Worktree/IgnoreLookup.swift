// Tells what the rules say about single paths, without a walk: for `check-ignore`, and for paths of a snapshot that the
// folder does not have or ignores. A folder or rule file that cannot be read is an error; it does not count as a place
// without rules.

internal import MementoSystem

struct IgnoreLookup {
  private let root: DirectoryHandle
  /// The folders that were looked at, by path.
  private var folders: [[UInt8]: Folder] = [:]
  private let top: FolderFilter
  private static let limit = 4096

  private struct Folder {
    var filter: FolderFilter
    var isCache = false
    /// The reason why the folder, with all that is in it, is ignored.
    var reason: IgnoreReason?
    /// Nil when the folder does not exist.
    var handle: DirectoryHandle?
  }

  init(root: SharedDescriptor, filter: FolderFilter) {
    self.root = DirectoryHandle(root: root, pool: HandlePool())
    top = filter
  }

  /// Whether a path of a snapshot is ignored now.
  mutating func hides(_ path: BytePath, isFolder: Bool) throws(Errno) -> Bool {
    try reason(for: path.components, isFolder: isFolder)?.isIgnoring == true
  }

  /// Whether a path is ignored now; false also when that cannot be found out. For callers that must not lose a file.
  mutating func surelyHides(_ path: BytePath, isFolder: Bool) -> Bool {
    do throws(Errno) {
      return try hides(path, isFolder: isFolder)
    } catch {
      return false
    }
  }

  /// The rule that decides about a path, whether it ignores or includes the path; nil when no rule does. `isFolder`
  /// tells what the path is if it does not exist.
  mutating func reason(for path: [[UInt8]], isFolder: Bool = false) throws(Errno) -> IgnoreReason? {
    guard let name = path.last else { return nil }
    let folder = try folder(path.dropLast())
    if let reason = folder.reason { return reason }
    let status = try IgnoreLookup.ifThere { () throws(Errno) in
      try folder.handle?.open().descriptor.statusIfPresent(of: name)
    }
    let whole = BytePath(path.joined(separator: [UInt8(ascii: "/")])).bytes
    if folder.isCache, name != CacheTag.name { return .cache(BytePath(whole).parent) }
    return folder.filter.decision(
      name: name, path: whole, isFolder: status?.isDirectory ?? isFolder,
      fileSize: status.flatMap { $0.isRegular ? $0.size : nil })
  }

  /// Runs `look`. Nil when the file does not exist, or something else has its name by now.
  private static func ifThere<Result>(_ look: () throws(Errno) -> Result?) throws(Errno) -> Result? {
    do throws(Errno) {
      return try look()
    } catch {
      switch error {
      case .notFound, .notDirectory, .stale, .loop, .nameTooLong: return nil
      default: throw error
      }
    }
  }

  private mutating func folder(_ path: ArraySlice<[UInt8]>) throws(Errno) -> Folder {
    var path = path
    var missing: [[UInt8]] = []
    var current: Folder?
    while current == nil {
      current = folders[key(path)]
      if current == nil {
        guard let name = path.last else { break }
        missing.append(name)
        path = path.dropLast()
      }
    }
    if folders.count > IgnoreLookup.limit { folders = [:] }
    var above: Folder
    if let current {
      above = current
    } else {
      above = try enter([], handle: root, filter: top)
      folders[[]] = above
    }
    var names = Array(path)
    for name in missing.reversed() {
      names.append(name)
      above = try below(above, names, name)
      folders[key(names[...])] = above
    }
    return above
  }

  private func key(_ path: ArraySlice<[UInt8]>) -> [UInt8] {
    Array(path.joined(separator: [UInt8(ascii: "/")]))
  }

  private func below(_ above: Folder, _ path: [[UInt8]], _ name: [UInt8]) throws(Errno) -> Folder {
    var folder = above
    folder.handle = nil
    if folder.reason != nil { return folder }
    let whole = key(path[...])
    if above.isCache {
      folder.reason = .cache(BytePath(whole).parent)
      return folder
    }
    let reason = above.filter.decision(name: name, path: whole, isFolder: true, fileSize: nil)
    if let reason, reason.isIgnoring {
      folder.reason = reason
      return folder
    }
    let handle = above.handle.map { DirectoryHandle(parent: $0, name: name) }
    return try enter(path, handle: handle, filter: above.filter)
  }

  private func enter(
    _ path: [[UInt8]], handle: DirectoryHandle?, filter: FolderFilter
  ) throws(Errno) -> Folder {
    var files = FolderRuleFiles()
    var isCache = false
    let directory = try IgnoreLookup.ifThere { () throws(Errno) in try handle?.open() }
    if let directory {
      var reason: Errno?
      let note: RuleFiles.Report = { _, _, failure in reason = reason ?? failure }
      files = RuleFiles.read(directory.descriptor, git: filter.readsGitignore, note)
      isCache = filter.excludesCaches && !path.isEmpty && RuleFiles.isCache(directory.descriptor, nil, note)
      if let reason { throw reason }
    }
    return Folder(
      filter: filter.entering(files) { key(path[...]) }, isCache: isCache, handle: directory == nil ? nil : handle)
  }
}
