// Reads a snapshot of a folder: one entry by its path, or a list of entries.

internal import MementoStore
internal import MementoSystem

struct SnapshotTree {
  private let repository: Repository
  private let revision: Revision
  private let root: ObjectID
  private let metadata: FileMetadata

  /// Errors name `revision`. Throws `.wrongKind` for a value.
  init(_ repository: Repository, _ revision: Revision, _ record: SnapshotRecord) throws(RepositoryError) {
    guard case .tree(let root, let metadata) = record.body else {
      throw RepositoryError(
        .wrongKind, "\"\(revision)\" is a single value, not a folder", reason: .valueHasNoFiles, revision: revision)
    }
    self.repository = repository
    self.revision = revision
    self.root = root
    self.metadata = metadata
  }

  /// The entry at a path; an empty path is the folder itself. Throws `.noSuchPath`.
  func entry(_ path: BytePath) throws(RepositoryError) -> FileEntry {
    if path.components.isEmpty {
      return FileEntry(TreeEntry(name: [], metadata: metadata, content: .directory(root)))
    }
    let entry = try translating(reading: path) { () throws(StoreError) in
      try TreePath.entry(path, in: root, repository.store)
    }
    if let entry { return FileEntry(entry) }
    var error = RepositoryError.unknownPath(
      path, "\"\(revision)\" has no \(path)", reason: .absentPath, in: [root], repository.store)
    error.revision = revision
    throw error
  }

  /// The entries of a folder, with `isRecursive` also of all folders in it. A path that is not a folder is its own only
  /// entry.
  func entries(_ path: BytePath, isRecursive: Bool) throws(RepositoryError) -> SnapshotEntries {
    let entry = try entry(path)
    guard let tree = entry.tree else {
      return SnapshotEntries(
        only: SnapshotEntry(path: BytePath(path.components.last ?? []), entry: entry), store: repository.store)
    }
    return SnapshotEntries(of: tree, at: path, isRecursive: isRecursive, store: repository.store)
  }
}
