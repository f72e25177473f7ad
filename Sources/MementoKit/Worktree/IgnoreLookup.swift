// What the rules say about single paths, without a walk: for `check-ignore`, and for what a snapshot has and the folder
// has not, or ignores. A folder or a rule file that cannot be read is an error, and not a place without rules.

internal import MementoSystem

struct IgnoreLookup {
  private let root: DirectoryHandle
  /// Folders that were asked, by path; nil for those that are ignored themselves.
  private var folders: [[UInt8]: Folder] = [:]
  private let top: FolderFilter
  private static let limit = 4096

  private struct Folder {
    var filter: FolderFilter
    var isCache = false
    /// Why it, and so everything in it, is ignored.
    var reason: IgnoreReason?
    /// Nil when it is not there.
    var handle: DirectoryHandle?
  }

  init(root: SharedDescriptor, filter: FolderFilter) {
    self.root = DirectoryHandle(root: root, pool: HandlePool())
    top = filter
  }

  /// Whether a path that a snapshot has is ignored now.
  mutating func hides(_ path: BytePath, isFolder: Bool) throws(Errno) -> Bool {
    try reason(for: path.components, isFolder: isFolder)?.isIgnoring == true
  }

  /// The same, for those to whom what may not be ignored counts: false as well when that cannot be found out.
  mutating func surelyHides(_ path: BytePath, isFolder: Bool) -> Bool {
    do throws(Errno) {
      return try hides(path, isFolder: isFolder)
    } catch {
      return false
    }
  }

  /// Why a path is ignored, or which rule takes it back in; nil when nothing is said about it. `isFolder` is what it is
  /// taken for when it is not there.
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

  /// Nil when what is looked for is not there, or something else is by now.
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
