// All that a refs record says: the names, the positions of the writers, and what its writer had seen.

package import MementoModel
package import MementoTime

/// Tables merge in any order, and any number of times, to the same table.
package struct NameTable: Equatable, Sendable {
  package private(set) var version = VersionVector()
  package private(set) var names = DottedMap<RefName>()
  /// Where the timeline of each writer's folder was at its newest push. More than one value of a writer is possible only
  /// for a store that was copied with its writer.
  package private(set) var positions = DottedMap<WriterID>()

  package init() {}

  init(version: VersionVector, names: DottedMap<RefName>, positions: DottedMap<WriterID>) {
    self.version = version
    self.names = names
    self.positions = positions
  }

  /// The values of a name, in the order in which they are shown. Equal snapshots that several have moved are there more
  /// than once; `ShownNames` shows them as one.
  package subscript(name: RefName) -> [NameValue] { names[name].sorted(by: NameValue.isShownBefore) }

  package mutating func merge(_ other: NameTable) {
    guard !version.covers(other.version) || !other.version.covers(version) else { return }
    names.merge(other.names, seen: version, seenThere: other.version)
    positions.merge(other.positions, seen: version, seenThere: other.version)
    version.merge(other.version)
  }

  /// Makes a change as the record `dot`. It must be the next one of its writer: everything that the writer has written
  /// before must be in this table.
  package mutating func apply(_ change: TableChange, as dot: Dot, host: String, time: Timestamp) {
    precondition(dot.number == version[dot.writer] + 1, "the table lacks a record of its own writer")
    func value(_ moved: TableChange.Move) -> NameValue {
      NameValue(
        dot: dot, snapshot: moved.snapshot, host: SnapshotNote.cut(host, to: 255), moved: time, note: moved.note,
        steps: moved.steps)
    }
    for (name, dots) in change.removals { names.replace(dots, of: name, with: nil) }
    for (name, move) in change.moves { names.replace(move.replaces, of: name, with: value(move)) }
    for (writer, dots) in change.removedPositions { positions.replace(dots, of: writer, with: nil) }
    if let position = change.position {
      let own = positions[dot.writer].map(\.dot)
      positions.replace(own, of: dot.writer, with: value(position))
    }
    version.see(dot)
  }

  /// The names and positions that are left after the removals of a change. Nobody has written this table: it is no part
  /// of a record.
  package func after(removalsOf change: TableChange) -> NameTable {
    var result = self
    for (name, dots) in change.removals { result.names.replace(dots, of: name, with: nil) }
    for (writer, dots) in change.removedPositions { result.positions.replace(dots, of: writer, with: nil) }
    return result
  }

  /// The position of the newest push, by the clock of the storage. Nil when nobody has pushed one.
  package var newestPosition: NameValue? {
    positions.values.values.joined().max(by: NameValue.isShownBefore)
  }

  /// Every snapshot and step list that must stay readable.
  package var roots: Set<ObjectID> {
    var roots: Set<ObjectID> = []
    for values in [Array(names.values.values.joined()), Array(positions.values.values.joined())] {
      for value in values {
        roots.insert(value.snapshot)
        if let steps = value.steps { roots.insert(steps) }
      }
    }
    return roots
  }
}

/// What one record changes in a table. It names the values that it replaces, so it can be made on any newer table, too.
package struct TableChange: Equatable, Sendable {
  package struct Move: Equatable, Sendable {
    package var snapshot: ObjectID
    package var note: SnapshotNote
    package var replaces: [Dot]
    package var steps: ObjectID?

    package init(snapshot: ObjectID, note: SnapshotNote, replaces: [Dot] = [], steps: ObjectID? = nil) {
      self.snapshot = snapshot
      self.note = note
      self.replaces = replaces
      self.steps = steps
    }
  }

  package var moves: [RefName: Move] = [:]
  package var removals: [RefName: [Dot]] = [:]
  /// The position of the writer itself. `replaces` is not used: a writer replaces all positions of its own.
  package var position: Move?
  package var removedPositions: [WriterID: [Dot]] = [:]

  package init() {}

  package var isEmpty: Bool { moves.isEmpty && removals.isEmpty && position == nil && removedPositions.isEmpty }
}
