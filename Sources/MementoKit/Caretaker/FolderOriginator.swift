// Uses a folder in the roles of the pattern: the working tree is the originator, a snapshot of it is the memento.

internal import Synchronization

/// A folder at one moment. It holds only the id of a snapshot; the folder's timeline keeps the snapshot.
public struct FolderMemento: Memento, Equatable, Sendable {
  /// The snapshot; nil when the folder could not be saved.
  public let snapshot: SnapshotID?

  init(_ snapshot: SnapshotID?) {
    self.snapshot = snapshot
  }

  /// The id of the snapshot under the key `snapshot`; an empty text when there is none.
  public var data: [String: Any] { ["snapshot": snapshot?.description ?? ""] }

  /// Nil when `snapshot` is not the id of a snapshot.
  public init?(data: [String: Any]) {
    guard let text = data["snapshot"] as? String, let snapshot = SnapshotID(hex: text) else { return nil }
    self.snapshot = snapshot
  }
}

/// The working tree of a repository as an originator. Names, messages, progress and problems are found on `repository`.
public final class FolderOriginator: Originator, Sendable {
  /// The folder and its store.
  public let repository: Repository
  private let failure = Mutex<RepositoryError?>(nil)

  /// Uses a repository that is open.
  public init(_ repository: Repository) {
    self.repository = repository
  }

  /// Opens the store of a folder; makes the folder and the store where they are missing.
  public convenience init(_ path: BytePath, options: OpenOptions = OpenOptions()) throws(RepositoryError) {
    self.init(try Repository.openOrCreate(folder: path, options: options))
  }

  /// Opens the store of a folder; makes the folder and the store where they are missing.
  public convenience init(_ path: String, options: OpenOptions = OpenOptions()) throws(RepositoryError) {
    try self.init(BytePath(path), options: options)
  }

  /// Why the last `save` or `restore` failed; nil when it succeeded.
  public var lastError: RepositoryError? { failure.withLock { $0 } }

  /// Saves the folder as it is. When it equals the snapshot at its position, the memento refers to that snapshot. On
  /// failure the memento refers to no snapshot, and `lastError` says why.
  public func save() -> FolderMemento {
    do throws(RepositoryError) {
      let memento = FolderMemento(try repository.save().snapshot.id)
      failure.withLock { $0 = nil }
      return memento
    } catch {
      failure.withLock { $0 = error }
      return FolderMemento(nil)
    }
  }

  /// Restores the folder to the memento. Unsaved changes are saved first, and `repository.undo()` brings them back. On
  /// failure the folder is unchanged or the restore is pending; `lastError` says why.
  public func restore(_ memento: FolderMemento) {
    do throws(RepositoryError) {
      guard let snapshot = memento.snapshot else {
        throw RepositoryError(.noSuchState, "the memento refers to no snapshot: the folder could not be saved then")
      }
      try repository.restore(Revision(snapshot))
      failure.withLock { $0 = nil }
    } catch {
      failure.withLock { $0 = error }
    }
  }
}
