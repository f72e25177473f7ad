// Keys with values that several writers change without a lock: a dotted version vector set for each key.

/// Merging is commutative, associative and idempotent. A value that one side has and the other one lacks stays, unless the
/// other side has seen its record: then it was replaced or removed there. So no tombstones are needed, and a change wins
/// over a deletion beside it.
package struct DottedMap<Key: Hashable & Comparable & Sendable>: Equatable, Sendable {
  /// The values of each key in the order of their dots. No key is without values.
  package private(set) var values: [Key: [NameValue]] = [:]

  package init() {}

  package subscript(key: Key) -> [NameValue] { values[key] ?? [] }

  package var keys: [Key] { values.keys.sorted() }

  /// Removes the values with these dots and adds one.
  package mutating func replace(_ dots: some Sequence<Dot>, of key: Key, with value: NameValue?) {
    let gone = Set(dots)
    var kept = self[key].filter { !gone.contains($0.dot) && $0.dot != value?.dot }
    if let value { kept.append(value) }
    set(kept, for: key)
  }

  /// Merges another map. The version vectors say what each side has seen before the merge.
  package mutating func merge(_ other: DottedMap, seen mine: VersionVector, seenThere theirs: VersionVector) {
    for (key, values) in other.values where self[key] != values {
      let here = Set(self[key].map(\.dot))
      let there = Set(values.map(\.dot))
      let kept = self[key].filter { there.contains($0.dot) || !theirs.contains($0.dot) }
      set(kept + values.filter { !here.contains($0.dot) && !mine.contains($0.dot) }, for: key)
    }
    for (key, values) in self.values where other.values[key] == nil {
      set(values.filter { !theirs.contains($0.dot) }, for: key)
    }
  }

  /// Sets the values of a key that has none: not empty, in the order of their dots.
  mutating func fill(_ key: Key, _ values: [NameValue]) { self.values[key] = values }

  private mutating func set(_ values: [NameValue], for key: Key) {
    self.values[key] = values.isEmpty ? nil : values.sorted { $0.dot < $1.dot }
  }
}
