// What is in a snapshot: one entry by its path, and listings.

internal import MementoStore
internal import MementoSystem

struct SnapshotTree {
  private let repository: Repository
  private let revision: String
  private let root: ObjectID
  private let metadata: FileMetadata

  /// `revision` is named by errors.
  init(_ repository: Repository, _ revision: String, _ record: SnapshotRecord) throws(RepositoryError) {
    guard case .tree(let root, let metadata) = record.body else {
      throw RepositoryError(
        .wrongKind, "\"\(revision)\" is a single value, not a folder",
        advice: "`memento cat \(revision)` writes its bytes")
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
    do throws(StoreError) {
      if let entry = try TreePath.entry(path, in: root, repository.store) { return FileEntry(entry) }
    } catch {
      throw RepositoryError(error, reading: path)
    }
    throw RepositoryError(
      .noSuchPath, "\"\(revision)\" has no \(path)", advice: "`memento ls -R \(revision)` lists what it has",
      path: path)
  }

  /// Calls `visit` with the entries of a folder in the order of their bytes, or with those of all folders in it, each
  /// before what is in it; paths are relative to the folder. A path that is no folder is listed itself, by its name.
  func list<Failure: Error>(
    _ path: BytePath, isRecursive: Bool, _ visit: (BytePath, FileEntry) throws(Failure) -> Void
  ) throws(RepositoryError) -> Result<Void, Failure> {
    let entry = try entry(path)
    guard let tree = entry.tree else {
      let name = BytePath(path.components.last ?? [])
      return Result { () throws(Failure) in try visit(name, entry) }
    }
    var folders: [(path: BytePath, reader: TreeReader)] = [(BytePath(""), TreeReader(tree, in: repository.store))]
    while let place = folders.indices.last {
      let next: TreeEntry?
      do throws(StoreError) {
        next = try folders[place].reader.next()
      } catch {
        let below = folders[place].path
        throw RepositoryError(error, reading: below.bytes.isEmpty ? path : path.appending(below.bytes))
      }
      guard let next else {
        folders.removeLast()
        continue
      }
      let path = folders[place].path.appending(next.name)
      do throws(Failure) {
        try visit(path, FileEntry(next))
      } catch {
        return .failure(error)
      }
      if isRecursive, let tree = next.tree { folders.append((path, TreeReader(tree, in: repository.store))) }
    }
    return .success(())
  }
}
