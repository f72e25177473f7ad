// Which snapshots are measured: those that were asked for, and all others that the store keeps.

internal import MementoStore

/// The snapshots that were asked for.
struct ChosenSnapshots {
  /// Each state once, in the order in which they were chosen; without a name for a snapshot that has none.
  private(set) var states: [(name: String?, snapshot: ObjectID)] = []
  private var seen: Set<[UInt8]> = []

  mutating func add(_ name: String?, _ snapshot: ObjectID) {
    let key = name.map { Array($0.utf8) } ?? [0] + Array(snapshot.description.utf8)
    if seen.insert(key).inserted { states.append((name, snapshot)) }
  }

  /// How many of the chosen names each snapshot has.
  var counts: [ObjectID: Int] {
    states.reduce(into: [:]) { $0[$1.snapshot, default: 0] += 1 }
  }
}

/// All snapshots that the store keeps, each once, and why.
struct SnapshotRoots {
  private(set) var all: [ObjectID] = []
  private(set) var marks: [ObjectID: ObjectHolders.Marks] = [:]
  /// Those that are told apart: the chosen ones, all that have a name, and that at the position.
  private(set) var holders: [ObjectID: Int] = [:]
  /// Names of each of them.
  private(set) var names: [ObjectID: Int] = [:]
  let chosen: ChosenSnapshots
  let position: ObjectID?
  /// Snapshots of which gc may have removed everything.
  private(set) var mayBeGone: Set<ObjectID> = []

  init(_ refs: Refs, _ chosen: ChosenSnapshots, trash: [ObjectID]) {
    self.chosen = chosen
    position = refs.timeline.current?.snapshot
    for state in refs.states { names[state.snapshot, default: 0] += 1 }
    let counts = chosen.counts
    for state in refs.states {
      let isOther = counts[state.snapshot, default: 0] < names[state.snapshot, default: 0]
      add(state.snapshot, isOther ? .otherState : [], isHolder: true)
    }
    for state in chosen.states { add(state.snapshot, .chosen, isHolder: true) }
    if let position { add(position, .position, isHolder: true) }
    for timeline in refs.timelines {
      for step in timeline.steps where holders[step.snapshot] == nil { add(step.snapshot, .timeline) }
    }
    for id in refs.allPending.flatMap({ [$0.target, $0.before] }) {
      if let id, holders[id] == nil { add(id, .timeline) }
    }
    for id in trash where holders[id] == nil {
      if marks[id] == nil { mayBeGone.insert(id) }
      add(id, .trash)
    }
  }

  private mutating func add(_ id: ObjectID, _ mark: ObjectHolders.Marks, isHolder: Bool = false) {
    if marks[id] == nil { all.append(id) }
    marks[id, default: []].formUnion(mark)
    if isHolder, holders[id] == nil { holders[id] = holders.count }
  }
}
