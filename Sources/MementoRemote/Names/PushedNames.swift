// Which names a push moves, and which it leaves alone.

package import MementoModel

/// What a push does with one name.
package struct PushedName: Equatable, Sendable {
  package enum Outcome: Sendable {
    /// The remote does not have the name, and gets it.
    case new
    /// The name was moved here, and moves there.
    case moved
    /// The name has several values there, and this push says which one it is.
    case settled
    /// The name means the same there.
    case same
    /// The name means the same there, and something else as well, which was moved by somebody else at the same time.
    case sameAmongOthers
    /// The name was not moved here, but there. It stays.
    case movedThere
    /// The name was not moved here, and was deleted there. It is not brought back.
    case deletedThere
  }

  package let name: RefName
  package let snapshot: ObjectID
  package let outcome: Outcome
  /// Values of other snapshots that the name has there after the push. When there are any, the name is a conflict.
  package let others: [NameValue]

  package var isChange: Bool { outcome == .new || outcome == .moved || outcome == .settled }
}

/// What a push does with names: computed from the names here, what is remembered of the remote, and the table there now.
package struct PushedNames: Equatable, Sendable {
  package private(set) var names: [PushedName] = []
  /// What the refs record changes. Without notes of snapshots that `note` did not know.
  package private(set) var change = TableChange()

  /// - Parameters:
  ///   - local: the names here that shall be pushed.
  ///   - isExplicit: whether the user gave these names. Then a name that has not moved here settles a conflict that
  ///     a pull has told of, and one that was deleted there comes back if `bringsBack`.
  ///   - bases: what is remembered of each name.
  ///   - table: all records of the remote, merged.
  ///   - note: what lists show of a snapshot. Called only for what moves.
  package init<Failure: Error>(
    local: [RefName: ObjectID], isExplicit: Bool = false, bringsBack: Bool = false, bases: [RefName: NameBase],
    table: NameTable, note: (ObjectID) throws(Failure) -> SnapshotNote
  ) throws(Failure) {
    for (name, snapshot) in local.sorted(by: { $0.key < $1.key }) {
      let values = table[name]
      let base = bases[name]
      var replaces: Set<Dot> = []
      let outcome: PushedName.Outcome
      if values.contains(where: { $0.snapshot == snapshot }) {
        let isConflict = values.contains { $0.snapshot != snapshot }
        let isSettling =
          isConflict && base.map { isExplicit || $0.local != snapshot } == true
          && values.contains { $0.snapshot != snapshot && base?.seen.contains($0.dot) == true }
        outcome = isSettling ? .settled : isConflict ? .sameAmongOthers : .same
        if isSettling, let base {
          replaces = Set(base.seen).union(values.filter { $0.snapshot == snapshot }.map(\.dot))
        }
      } else if let base {
        let isUnchanged = base.local == snapshot
        if isUnchanged && !base.isPending && !(values.isEmpty && isExplicit && bringsBack) {
          outcome = values.isEmpty ? .deletedThere : .movedThere
        } else {
          outcome = values.isEmpty ? .new : .moved
          replaces = Set(isUnchanged && !isExplicit ? base.upon : base.seen)
        }
      } else {
        outcome = .new
      }
      let isChange = outcome == .new || outcome == .moved || outcome == .settled
      names.append(
        PushedName(
          name: name, snapshot: snapshot, outcome: outcome,
          others: values.filter { $0.snapshot != snapshot && !(isChange && replaces.contains($0.dot)) }))
      guard isChange else { continue }
      change.moves[name] = TableChange.Move(
        snapshot: snapshot, note: try note(snapshot),
        replaces: values.map(\.dot).filter { replaces.contains($0) })
    }
  }

  /// Names that mean something else there, too, after this push.
  package var conflicts: [PushedName] { names.filter { !$0.others.isEmpty && $0.outcome != .movedThere } }

  /// What to remember after the push was committed. `table`: the one that was committed. `dot`: its record; nil when the
  /// push had nothing to change.
  package func bases(after bases: [RefName: NameBase], table: NameTable, dot: Dot?) -> [RefName: NameBase] {
    var result = bases
    for pushed in names {
      let values = table[pushed.name]
      let own = values.filter { $0.snapshot == pushed.snapshot }.map(\.dot)
      let seen = (bases[pushed.name]?.seen ?? []).filter { seen in values.contains { $0.dot == seen } }
      switch pushed.outcome {
      case .movedThere, .deletedThere: break
      default:
        result[pushed.name] = NameBase(
          local: pushed.snapshot, upon: own, seen: Array(Set(own).union(seen)))
      }
    }
    return result
  }
}
