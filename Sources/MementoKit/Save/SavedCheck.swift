// Whether a walk found what a snapshot says already.

internal import MementoStore
internal import MementoSystem

extension Repository {
  /// False when the folder has something that the snapshot does not, or the other way round. The time of the top folder
  /// alone is no content: making `.memento` moves it.
  func isSaved(_ now: ArchivedTree, in record: SnapshotRecord?) throws(RepositoryError) -> Bool {
    guard let record, case .tree(let tree, let root) = record.body else { return false }
    guard tree == now.tree, root.isSame(butForTimeAs: now.root) else { return false }
    do throws(RepositoryError) {
      return try SnapshotLists(self).links(of: record) == now.links
    } catch {
      guard error.code == .damaged else { throw error }
      return false
    }
  }
}

extension FileMetadata {
  func isSame(butForTimeAs other: FileMetadata) -> Bool {
    var same = self
    same.modified = other.modified
    return same == other
  }
}
