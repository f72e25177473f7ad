// What a name means: a snapshot, and who moved the name to it.

package import MementoModel
package import MementoTime

/// One value of a name. A name has several when it was moved by several writers at once.
package struct NameValue: Hashable, Sendable {
  /// The record that moved the name here.
  package let dot: Dot
  package let snapshot: ObjectID
  /// The machine that moved the name.
  package let host: String
  /// When the name was moved, by the clock of the storage as its writer saw it.
  package let moved: Timestamp
  package let note: SnapshotNote
  /// The blob with the steps of the timeline (`StepList`). Only positions have it, and only after `push --all`.
  package let steps: ObjectID?

  package init(
    dot: Dot, snapshot: ObjectID, host: String, moved: Timestamp, note: SnapshotNote, steps: ObjectID? = nil
  ) {
    self.dot = dot
    self.snapshot = snapshot
    self.host = host
    self.moved = moved
    self.note = note
    self.steps = steps
  }

  /// The order in which values of one name are shown: the one that was there first keeps the name.
  package static func isShownBefore(_ left: NameValue, _ right: NameValue) -> Bool {
    left.moved == right.moved ? left.dot < right.dot : left.moved < right.moved
  }
}
