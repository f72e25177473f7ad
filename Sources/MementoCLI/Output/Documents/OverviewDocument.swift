// The JSON of `memento` without a command.

import MementoKit

struct OverviewDocument: Encodable {
  struct Place: Encodable {
    let names: [String]
    let snapshot: SnapshotDocument

    init(_ place: FolderOverview.Place) {
      names = place.names
      snapshot = SnapshotDocument(place.snapshot)
    }
  }

  let schema = 1
  /// That of `memento status`.
  let status: StatusDocument
  let entries: [LogDocument.Entry]
  let undo: OrNull<Place>
  let redo: OrNull<Place>
  let states: Int
  let storedBytes: UInt64

  init(_ overview: FolderOverview, forkOf original: BytePath?) {
    status = StatusDocument(overview.status, forkOf: original)
    entries = LogDocument(overview.entries).entries
    undo = OrNull(overview.undo.map(Place.init))
    redo = OrNull(overview.redo.map(Place.init))
    states = overview.states
    storedBytes = overview.storedBytes
  }
}
