// Decides which names of one directory are recorded. It uses the rules of the folder, its tag as a cache, and the
// entries that the walk wants although they are ignored. There is no filter where nothing can be ignored.

internal import MementoStore
internal import MementoSystem

struct EntryFilter {
  /// The filter for the folders in this one.
  let inner: FolderFilter
  private let isCache: Bool
  private let source: (any MetaSource)?
  private let wanted: WantedFolder?
  /// The entries that a restore will put into the folder. Read when the first name is ignored.
  private var wantedEntries: [[UInt8]: TreeEntry]?
  /// The path of the folder with a slash at its end, for patterns with a path.
  private var path: [UInt8] = []
  private let prefix: Int
  private let needsPaths: Bool

  /// Reads the rule files of a directory. Nil when nothing in it can be ignored.
  init?(
    _ node: DirectoryNode, context: SaveContext, _ directory: borrowing Descriptor, _ listing: DirectoryListing
  ) {
    let outer = node.outerFilter
    wanted = node.wanted
    source = context.wanted?.source
    let hasRules =
      switch node.wanted {
      case nil, .folder(_, isIgnored: false): true
      case .folder, .everything: false
      }
    if hasRules {
      let report: RuleFiles.Report = { name, message, failure in
        context.report(node.handle.path(of: name), message, isNote: failure == nil)
      }
      let files = RuleFiles.read(directory, listing, git: outer.readsGitignore, report)
      let handle = node.handle
      inner = outer.entering(files) { handle.path }
      isCache = inner.excludesCaches && node.parent != nil && RuleFiles.isCache(directory, listing, report)
      if !files.isEmpty { context.keep(files, of: handle.path) }
      if inner.isEmpty, node.wanted == nil { return nil }
    } else {
      inner = outer
      isCache = false
    }
    needsPaths = inner.needsPaths
    if needsPaths, node.parent != nil { path = node.handle.path + [UInt8(ascii: "/")] }
    prefix = path.count
  }

  /// Whether a name is ignored and not wanted.
  mutating func leavesOut(_ name: [UInt8], _ status: FileStatus) throws(StoreError) -> Bool {
    guard ignores(name, status) else { return false }
    return try wantedEntry(name) == nil
  }

  /// What is wanted in the folder `name`, which is not left out.
  mutating func wanted(in name: [UInt8], _ status: FileStatus) throws(StoreError) -> WantedFolder? {
    guard let wanted else { return nil }
    if case .everything = wanted { return .everything }
    guard let entry = try wantedEntry(name) else { return nil }
    guard let tree = entry.tree else { return .everything }
    return .folder(tree, isIgnored: ignores(name, status))
  }

  private mutating func ignores(_ name: [UInt8], _ status: FileStatus) -> Bool {
    switch wanted {
    case .everything: return false
    case .folder(_, isIgnored: true): return true
    default: break
    }
    if isCache { return name != CacheTag.name }
    if needsPaths {
      path.removeSubrange(prefix...)
      path += name
    }
    return name.withUnsafeBufferPointer { name in
      path.withUnsafeBufferPointer { path in
        inner.ignores(
          name: name, path: path, isFolder: status.isDirectory, fileSize: status.isRegular ? status.size : nil)
      }
    }
  }

  private mutating func wantedEntry(_ name: [UInt8]) throws(StoreError) -> TreeEntry? {
    guard case .folder(let tree, _) = wanted, let source else { return nil }
    if wantedEntries == nil {
      var entries: [[UInt8]: TreeEntry] = [:]
      for entry in try TreeReader.entries(of: tree, in: source) { entries[entry.name] = entry }
      wantedEntries = entries
    }
    return wantedEntries?[name]
  }
}
