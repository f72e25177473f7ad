// Which local names a pull moves, and which stay.

package import MementoModel

/// What a pull does with one name.
package struct PulledName: Equatable, Sendable {
  package enum Outcome: Sendable {
    /// The name is not here, and comes.
    case new
    /// The name was not moved here, but there. It moves here.
    case moved
    /// The name means the same on both sides.
    case same
    /// The name was moved here, and what is there has been seen before. The next push moves it there.
    case ahead
    /// The name was moved on both sides. It stays here. What it means there is `REMOTE/NAME`.
    case movedOnBothSides
    /// The name was deleted here and did not move there. It does not come back.
    case deletedHere
    /// The name was deleted there. It stays here, and no push brings it back there.
    case deletedThere
  }

  package let name: RefName
  package let outcome: Outcome
  /// What the name means here; nil when it is not here.
  package let local: ObjectID?
  /// What the name means there, the value that keeps the name first. Empty when it was deleted there.
  package let values: [NameValue]

  /// What the name means here after the pull.
  package var result: ObjectID? {
    outcome == .new || outcome == .moved ? values.first?.snapshot : local
  }

  /// Whether the name has values of several snapshots there.
  package var isConflictThere: Bool { values.contains { $0.snapshot != values[0].snapshot } }
}

/// What a pull does with names.
package struct PulledNames: Equatable, Sendable {
  package private(set) var names: [PulledName] = []
  /// What to remember after the local names have moved.
  package private(set) var bases: [RefName: NameBase]

  /// - Parameters:
  ///   - local: all names here.
  ///   - wanted: the names that the user gave; nil for all. One of them that was deleted here comes back.
  ///   - bases: what is remembered of each name.
  ///   - table: all records of the remote, merged.
  package init(
    local: [RefName: ObjectID], wanted: Set<RefName>? = nil, bases: [RefName: NameBase], table: NameTable
  ) {
    self.bases = bases
    let all = wanted ?? Set(table.names.keys).union(bases.keys.filter { local[$0] != nil })
    for name in all.sorted() {
      guard let pulled = pull(name, local[name], isWanted: wanted != nil, table[name]) else { continue }
      names.append(pulled)
    }
  }

  private mutating func pull(
    _ name: RefName, _ local: ObjectID?, isWanted: Bool, _ values: [NameValue]
  ) -> PulledName? {
    func pulled(_ outcome: PulledName.Outcome) -> PulledName {
      PulledName(name: name, outcome: outcome, local: local, values: values)
    }
    let base = bases[name]
    guard let first = values.first else { return local != nil && base != nil ? pulled(.deletedThere) : nil }
    let dots = values.map(\.dot)
    guard let local else {
      if let base, !isWanted, dots.allSatisfy(base.seen.contains) { return pulled(.deletedHere) }
      bases[name] = NameBase(agreed: first.snapshot, values)
      return pulled(.new)
    }
    if values.contains(where: { $0.snapshot == local }) {
      bases[name] = NameBase(agreed: local, values)
      return pulled(.same)
    }
    guard let base else {
      bases[name] = NameBase(local: local, isPending: true, upon: [], seen: dots)
      return pulled(.movedOnBothSides)
    }
    if base.local == local && !base.isPending {
      bases[name] = NameBase(agreed: first.snapshot, values)
      return pulled(.moved)
    }
    // What the name means here was made by one who has seen `known`.
    let known = base.local == local ? base.upon : base.seen
    if dots.allSatisfy(known.contains) { return pulled(.ahead) }
    bases[name] = NameBase(local: local, isPending: true, upon: known, seen: Array(Set(dots).union(known)))
    return pulled(.movedOnBothSides)
  }
}
