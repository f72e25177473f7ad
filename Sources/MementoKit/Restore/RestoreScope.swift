// Decides which ignored files matter to a restore once its target is known. An ignored file in a place where the target
// has something is walked like other files, so that it is saved before it is overwritten. All other files that the
// rules of the folder or of the target ignore are left alone. This is the first pass over the target, so it also checks
// that there is room for it.

internal import MementoStore
internal import MementoSystem

struct RestoreScope {
  let repository: Repository
  let walk: FolderWalk

  /// Walks the folder again if ignored files matter to a restore of `target`. Returns the folder with these files, and
  /// whether one of them differs from the target. Returns nil when no ignored file matters; then `now` is complete.
  func widen(
    _ now: ArchivedTree, before target: ObjectID?
  ) throws(RepositoryError) -> (now: ArchivedTree, isObstructed: Bool)? {
    guard let target else { return nil }
    let found = try compare(now, target)
    if !found.ruleFiles.isEmpty {
      walk.keep(
        RuleSet(walk.rules.current.options, files: now.ruleFiles.merging(found.ruleFiles) { _, coming in coming }))
    }
    if found.places.isEmpty, found.ruleFiles.isEmpty { return nil }
    let whole = try walk.run(wanting: target)
    let source = walk.source
    let isObstructed = try translating { () throws(StoreError) -> Bool in
      for place in found.places {
        guard let present = try TreePath.entry(place, in: whole.tree, source) else { continue }
        let coming = try TreePath.entry(place, in: target, source)
        if present != coming { return true }
      }
      return false
    }
    return (whole, isObstructed)
  }

  fileprivate struct Findings {
    /// Places where the target has something, the walk has found nothing, and yet something exists.
    var places: [BytePath] = []
    /// The rule files of the target, by their folders.
    var ruleFiles: [[UInt8]: FolderRuleFiles] = [:]
  }

  private func compare(_ now: ArchivedTree, _ target: ObjectID) throws(RepositoryError) -> Findings {
    var folders = [(handle: DirectoryHandle(root: try repository.root, pool: HandlePool()), isThere: now.ignored > 0)]
    var findings = Findings()
    let source = walk.source
    let readsGitignore = try repository.rules(keepingEarlier: false).current.options.readsGitignore
    var failure: RepositoryError?
    var newcomers = NewEntries(RestoreRoom(repository.store, in: try repository.root), of: target, in: source)
    let diff = TreeDiff(old: source, new: source, monitor: walk.monitor)
    try translating { () throws(StoreError) in
      try diff.walk(from: now.tree, to: target, label: 0) { (label, old, new) throws(StoreError) in
        guard let new else { return .pass }
        let (handle, isThere) = folders[label]
        do throws(RepositoryError) {
          if old == nil { try newcomers.add() }
          try findings.add(ruleFile: new, in: handle, repository, readsGitignore: readsGitignore)
        } catch {
          failure = error
          return .stop
        }
        // A folder that the target replaces by a file may hold ignored files.
        let hides = old.map { $0.isDirectory && !new.isDirectory }
        if isThere, hides ?? RestoreScope.mayBeThere(new.name, in: handle) {
          findings.places.append(handle.path(of: new.name))
        }
        if !new.isDirectory { return .pass }
        folders.append((DirectoryHandle(parent: handle, name: new.name), isThere && old?.isDirectory == true))
        return .enter(folders.count - 1)
      }
    }
    if let failure { throw failure }
    return findings
  }

  /// Whether a name exists in a folder. True also when the look fails, so that a walk looks again.
  private static func mayBeThere(_ name: [UInt8], in folder: DirectoryHandle) -> Bool {
    do throws(Errno) {
      _ = try folder.open().descriptor.status(of: name)
      return true
    } catch {
      return error != .notFound && error != .notDirectory && error != .stale
    }
  }
}

extension RestoreScope.Findings {
  /// Adds a rule file of the target. Throws when it cannot be read, since the restore could then remove files that its
  /// rules protect.
  fileprivate mutating func add(
    ruleFile entry: TreeEntry, in handle: DirectoryHandle, _ repository: Repository, readsGitignore: Bool
  ) throws(RepositoryError) {
    let isOwn = entry.name == FolderRuleFiles.name
    guard isOwn || (readsGitignore && entry.name == FolderRuleFiles.gitName),
      case .file(let size, let content) = entry.content, size <= IgnoreList.largestFile
    else { return }
    let folder = handle.path
    let bytes = try SnapshotLists(repository).contents(SizedContent(size: size, content: content))
    if isOwn {
      ruleFiles[folder, default: FolderRuleFiles()].own = bytes
    } else {
      ruleFiles[folder, default: FolderRuleFiles()].git = bytes
    }
  }
}
