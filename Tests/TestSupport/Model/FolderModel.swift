// What memento promises, as a plain value: a folder, states by name, and a timeline with a position. A test carries out
// each operation twice, on a real folder with its store and on this, and compares.

package struct FolderModel: Sendable {
  package enum Content: Equatable, Sendable {
    case tree(FolderTree)
    case value([UInt8])
  }

  package struct Snapshot: Sendable {
    package let content: Content
    /// What memento calls it, once that was seen.
    package var id: String?
  }

  /// The folder as it is.
  package var folder: FolderTree
  /// Everything that was ever saved; states and steps are indices of it.
  package private(set) var snapshots: [Snapshot] = []
  package private(set) var states: [String: Int] = [:]
  /// Oldest first, at most `longestTimeline`.
  package private(set) var timeline: [Int] = []
  /// Index in the timeline; nil when it is empty.
  package private(set) var position: Int?

  private static let longestTimeline = 1000

  package init(_ folder: FolderTree) {
    self.folder = folder
  }

  /// The snapshot that the folder was last made from or saved as.
  package var current: Int? { position.map { timeline[$0] } }

  /// What can be named: all that a state or a step keeps.
  package var kept: [Int] { Set(states.values).union(timeline).sorted() }

  package func tree(_ snapshot: Int) -> FolderTree? {
    if case .tree(let tree) = snapshots[snapshot].content { return tree }
    return nil
  }

  /// Whether the snapshot at the position says what the folder is.
  package var isSaved: Bool { current.flatMap(tree) == folder }

  // MARK: Operations

  /// What is at the position already makes a snapshot only for the sake of its name, and never a further step.
  package mutating func save(_ name: String?) {
    guard let position, isSaved else {
      let snapshot = add(.tree(folder))
      append(snapshot)
      if let name { states[name] = snapshot }
      return
    }
    guard let name else { return }
    timeline[position] = add(.tree(folder))
    states[name] = timeline[position]
  }

  package mutating func saveValue(_ name: String, _ bytes: [UInt8]) {
    states[name] = add(.value(bytes))
  }

  package mutating func name(_ snapshot: Int, _ name: String) {
    states[name] = snapshot
  }

  /// False, and nothing happens, when there is no such state, or another has the new name and is not to be replaced.
  package mutating func rename(_ old: String, to new: String, force: Bool) -> Bool {
    guard let snapshot = states[old], states[new] == nil || force, old != new else { return false }
    states[old] = nil
    states[new] = snapshot
    return true
  }

  /// False, and nothing happens, when one of the names is no state.
  package mutating func delete(_ names: [String]) -> Bool {
    guard names.allSatisfy({ states[$0] != nil }) else { return false }
    for name in names { states[name] = nil }
    return true
  }

  /// What has not been saved becomes a step.
  package mutating func addGuard() {
    if !isSaved { append(add(.tree(folder))) }
  }

  /// False, and nothing happens, when the snapshot is a value or a path is nowhere.
  package mutating func restore(_ snapshot: Int, paths: [[UInt8]] = [], keepExtra: Bool = false, discard: Bool = false)
    -> Bool
  {
    guard let target = tree(snapshot),
      let result = folder.restoring(paths, from: target, keepExtra: keepExtra)
    else { return false }
    if !discard { addGuard() }
    let isNothing = folder == result && isSaved
    folder = result
    if !paths.isEmpty || keepExtra {
      // What was put together out of two is a snapshot of its own.
      if !isNothing { append(add(.tree(result))) }
    } else if current != snapshot {
      append(snapshot)
    }
    return true
  }

  /// Undo with a negative number of steps, redo with a positive one. False, and nothing happens, when there are not so
  /// many.
  package mutating func move(by steps: Int) -> Bool {
    var moved = self
    if steps > 0, !isSaved { return false }
    if position != nil { moved.addGuard() }
    guard steps != 0, let position = moved.position, moved.timeline.indices.contains(position + steps),
      let tree = moved.tree(moved.timeline[position + steps])
    else { return false }
    moved.position = position + steps
    moved.folder = tree
    self = moved
    return true
  }

  private mutating func add(_ content: Content) -> Int {
    snapshots.append(Snapshot(content: content, id: nil))
    return snapshots.count - 1
  }

  private mutating func append(_ snapshot: Int) {
    if let position { timeline.removeSubrange((position + 1)...) }
    timeline.append(snapshot)
    timeline.removeFirst(max(0, timeline.count - FolderModel.longestTimeline))
    position = timeline.count - 1
  }

  // MARK: Comparison

  /// What differs from what the store says, in words. Learns the ids of new snapshots.
  package mutating func differences(from refs: RefsText) -> [String] {
    var result: [String] = []
    if Set(states.keys) != Set(refs.states.keys) {
      result.append("the states are \(refs.states.keys.sorted()), not \(states.keys.sorted())")
    }
    if timeline.count != refs.steps.count || position != refs.position {
      result.append(
        "the timeline has \(refs.steps.count) steps and is at \(refs.position ?? -1), not \(timeline.count) and at "
          + "\(position ?? -1)")
    }
    if refs.isRestorePending { result.append("a restore is pending") }
    if !result.isEmpty { return result }
    for (name, snapshot) in states where !learn(snapshot, refs.states[name]) {
      result.append("\(name) is another snapshot")
    }
    for (index, snapshot) in timeline.enumerated() where !learn(snapshot, refs.steps[index]) {
      result.append("step \(index) is another snapshot")
    }
    return result
  }

  private mutating func learn(_ snapshot: Int, _ id: String?) -> Bool {
    if snapshots[snapshot].id == nil { snapshots[snapshot].id = id }
    return snapshots[snapshot].id == id
  }
}
