// What is in a snapshot: one entry by its path, and listings.

internal import MementoStore
internal import MementoSystem

struct SnapshotTree {
  private let repository: Repository
  private let revision: Revision
  private let root: ObjectID
  private let metadata: FileMetadata

  /// `revision` is named by errors.
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

  /// The entry of a path; an empty path is the folder itself. `.noSuchPath` when there is none.
  func entry(_ path: BytePath) throws(RepositoryError) -> FileEntry {
    if path.components.isEmpty {
      return FileEntry(TreeEntry(name: [], metadata: metadata, content: .directory(root)))
    }
    let entry = try translating(reading: path) { () throws(StoreError) in
      try TreePath.entry(path, in: root, repository.store)
    }
    if let entry { return FileEntry(entry) }
    throw RepositoryError(
      .noSuchPath, "\"\(revision)\" has no \(path)", reason: .absentPath, revision: revision, path: path)
  }

  /// The entries of a folder, or of all folders in it. A path that is no folder is listed itself, by its name.
  func entries(_ path: BytePath, isRecursive: Bool) throws(RepositoryError) -> SnapshotEntries {
    let entry = try entry(path)
    guard let tree = entry.tree else {
      return SnapshotEntries(
        only: SnapshotEntry(path: BytePath(path.components.last ?? []), entry: entry), store: repository.store)
    }
    return SnapshotEntries(of: tree, at: path, isRecursive: isRecursive, store: repository.store)
  }
}
