// Which ignored things concern a restore after all, once its target is known. What is ignored but lies where the target has
// something is walked like everything else, so that it is saved before it is overwritten. What the rules of the target ignore
// is left alone, as is what those of the folder ignore. This is the first pass through a target, so it also finds out whether
// there is room for the target.

internal import MementoStore
internal import MementoSystem

struct RestoreScope {
  let repository: Repository
  let walk: FolderWalk

  /// The folder with what is ignored and concerns a restore of `target`, and whether something in the way of the target is not
  /// what the target has. Nil when nothing ignored concerns it: then `now` is all there is.
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
    /// Places where the target has something, the walk has found nothing, and something is.
    var places: [BytePath] = []
    /// Rule files that come with the target, by their folders.
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
        // A folder that has to go may hold what is ignored.
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

  /// Whether there is such a name; what cannot be looked at is walked, and so looked at again.
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
  /// One that cannot be read ends the restore: without its rules it would take away what it is to leave alone.
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
