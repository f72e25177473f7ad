// Puts a note beside a snapshot, as `git notes` does: the snapshot and its id stay what they are.

internal import MementoStore
internal import MementoSystem

/// A snapshot and its note.
public struct NotedSnapshot: Equatable, Sendable {
  /// The snapshot.
  public let snapshot: SnapshotID
  /// Its note now; nil for none.
  public let note: String?
  /// The note that it had before; nil for none.
  public let replaced: String?
}

struct DescribeOperation {
  let repository: Repository

  /// The note of a snapshot.
  func read(_ revision: Revision) throws(RepositoryError) -> NotedSnapshot {
    let refs = try repository.readRefs()
    let id = try RevisionResolver(repository, refs).resolve(revision).id
    return NotedSnapshot(snapshot: SnapshotID(id), note: refs.notes[id], replaced: nil)
  }

  /// Sets the note of a snapshot; an empty one removes it. Throws `.invalidArgument` when it is too long or holds a NUL.
  func set(_ revision: Revision, _ text: String, isDryRun: Bool) throws(RepositoryError) -> NotedSnapshot {
    guard text.utf8.count <= SnapshotNotes.longest else {
      throw RepositoryError(
        .invalidArgument, "a note has at most \(SnapshotNotes.longest) bytes; this one has \(text.utf8.count)")
    }
    if text.utf8.contains(0) { throw RepositoryError(.invalidArgument, "a note holds no NUL") }
    let note = text.isEmpty ? nil : text
    if isDryRun { return try plan(revision, note, try repository.readRefs()) }
    let lock = try repository.lockForNaming()
    return try repository.updateRefs(holding: lock) { (refs) throws(RepositoryError) in
      let changed = try plan(revision, note, refs)
      refs.notes[changed.snapshot.object] = note
      return changed
    }
  }

  private func plan(_ revision: Revision, _ note: String?, _ refs: Refs) throws(RepositoryError) -> NotedSnapshot {
    let id = try RevisionResolver(repository, refs).resolve(revision).id
    return NotedSnapshot(snapshot: SnapshotID(id), note: note, replaced: refs.notes[id])
  }
}
