// A line of the timeline.

package import MementoKit

/// What has changed in the folder since its position.
package struct UnsavedChanges: Equatable, Sendable {
  package var added = 0
  package var modified = 0
  package var removed = 0
  /// The snapshot that they are compared with; nil when nothing has been saved yet.
  package var position: SnapshotID?

  package init(position: SnapshotID? = nil) {
    self.position = position
  }

  package var isEmpty: Bool { added == 0 && modified == 0 && removed == 0 }
}

package enum TimelineRow: Equatable, Sendable {
  case unsaved(UnsavedChanges)
  case entry(LogEntry)

  /// What stays the same when the history is read again.
  package enum Identity: Hashable, Sendable {
    case unsaved
    case entry(SnapshotID, SnapshotTime)
  }

  package var identity: Identity {
    switch self {
    case .unsaved: .unsaved
    case .entry(let entry): .entry(entry.snapshot.id, entry.time)
    }
  }

  /// The snapshot whose files are shown; for unsaved changes the one that they began with.
  package var snapshot: SnapshotID? {
    switch self {
    case .unsaved(let changes): changes.position
    case .entry(let entry): entry.snapshot.id
    }
  }
}
