// What the rules say about single paths, without a walk: for `check-ignore`, and for what a snapshot has and the folder
// has not, or ignores.

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
  mutating func hides(_ path: BytePath, isFolder: Bool) -> Bool {
    reason(for: path.components, isFolder: isFolder)?.isIgnoring == true
  }

  /// Why a path is ignored, or which rule takes it back in; nil when nothing is said about it. `isFolder` is what it is
  /// taken for when it is not there.
  mutating func reason(for path: [[UInt8]], isFolder: Bool = false) -> IgnoreReason? {
    guard let name = path.last else { return nil }
    let folder = folder(path.dropLast())
    if let reason = folder.reason { return reason }
    let status = try? folder.handle?.open().descriptor.status(of: name)
    let whole = BytePath(path.joined(separator: [UInt8(ascii: "/")])).bytes
    if folder.isCache, name != CacheTag.name { return .cache(BytePath(whole).parent) }
    return folder.filter.decision(
      name: name, path: whole, isFolder: status?.isDirectory ?? isFolder,
      fileSize: status.flatMap { $0.isRegular ? $0.size : nil })
  }

  private mutating func folder(_ path: ArraySlice<[UInt8]>) -> Folder {
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
    var above = current ?? enter([], handle: root, filter: top)
    if current == nil { folders[[]] = above }
    var names = Array(path)
    for name in missing.reversed() {
      names.append(name)
      above = below(above, names, name)
      folders[key(names[...])] = above
    }
    return above
  }

  private func key(_ path: ArraySlice<[UInt8]>) -> [UInt8] {
    Array(path.joined(separator: [UInt8(ascii: "/")]))
  }

  private func below(_ above: Folder, _ path: [[UInt8]], _ name: [UInt8]) -> Folder {
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
    return enter(path, handle: handle, filter: above.filter)
  }

  private func enter(_ path: [[UInt8]], handle: DirectoryHandle?, filter: FolderFilter) -> Folder {
    var files = FolderRuleFiles()
    var isCache = false
    let directory = try? handle?.open()
    if let directory {
      files = RuleFiles.read(directory.descriptor, git: filter.readsGitignore) { _, _, _ in }
      isCache = filter.excludesCaches && !path.isEmpty && RuleFiles.isCache(directory.descriptor)
    }
    return Folder(
      filter: filter.entering(files) { key(path[...]) }, isCache: isCache, handle: directory == nil ? nil : handle)
  }
}
