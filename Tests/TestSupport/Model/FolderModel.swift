// What memento promises, as a plain value: a folder, states by name, and a timeline with a position. A test runs each
// operation twice, on a real folder with its store and on this model, and compares the results.

package struct FolderModel: Sendable {
  package enum Content: Equatable, Sendable {
    case tree(FolderTree)
    case value([UInt8])
  }

  package struct Snapshot: Sendable {
    package let content: Content
    /// The id that memento gave it; nil until the test has seen it.
    package var id: String?
  }

  /// What belongs to one folder of the store alone. The others are in `others`.
  private struct Place: Sendable {
    var folder: FolderTree
    var steps: [Step] = []
    var position: Int?
  }

  /// The current content of the folder.
  package var folder: FolderTree
  /// Everything that was ever saved. States and steps are indices into it.
  package private(set) var snapshots: [Snapshot] = []
  package private(set) var states: [String: Int] = [:]
  /// A step of the timeline.
  private struct Step {
    var snapshot: Int
    /// The paths that a restore of paths changed. Empty when the step concerns the whole folder.
    var paths: [[UInt8]] = []
  }

  /// The oldest first, at most `longestTimeline`.
  private var steps: [Step] = []
  /// The index of the current step; nil when the timeline is empty.
  package private(set) var position: Int?
  /// The other folders of the store. The main folder is the first of all, then come its forks, the oldest first.
  private var others: [Place] = []
  /// The number of the folder that is worked in, among all.
  package private(set) var here = 0

  private static let longestTimeline = 1000

  package init(_ folder: FolderTree) {
    self.folder = folder
  }

  /// The snapshots of all steps.
  package var timeline: [Int] { steps.map(\.snapshot) }

  /// The snapshot that the folder was last restored from or saved as.
  package var current: Int? { position.map { timeline[$0] } }

  /// All snapshots that a state or a step keeps.
  package var kept: [Int] {
    Set(states.values).union(timeline).union(others.flatMap { $0.steps.map(\.snapshot) }).sorted()
  }

  package func tree(_ snapshot: Int) -> FolderTree? {
    if case .tree(let tree) = snapshots[snapshot].content { return tree }
    return nil
  }

  /// Whether the snapshot at the position is equal to the folder.
  package var isSaved: Bool { current.flatMap(tree) == folder }

  // MARK: Operations

  /// Saves the folder. If it equals the snapshot at the position, a name makes a new snapshot in place of that step,
  /// and without a name nothing happens.
  package mutating func save(_ name: String?) {
    guard let position, isSaved else {
      let snapshot = add(.tree(folder))
      append(snapshot)
      if let name { states[name] = snapshot }
      return
    }
    guard let name else { return }
    steps[position] = Step(snapshot: add(.tree(folder)))
    states[name] = steps[position].snapshot
  }

  package mutating func saveValue(_ name: String, _ bytes: [UInt8]) {
    states[name] = add(.value(bytes))
  }

  package mutating func name(_ snapshot: Int, _ name: String) {
    states[name] = snapshot
  }

  /// Returns false and does nothing when there is no state `old`, when the names are equal, or when `new` is in use and
  /// `force` is not given.
  package mutating func rename(_ old: String, to new: String, force: Bool) -> Bool {
    guard let snapshot = states[old], states[new] == nil || force, old != new else { return false }
    states[old] = nil
    states[new] = snapshot
    return true
  }

  /// Returns false and does nothing when one of the names is no state.
  package mutating func delete(_ names: [String]) -> Bool {
    guard names.allSatisfy({ states[$0] != nil }) else { return false }
    for name in names { states[name] = nil }
    return true
  }

  /// Takes a path out of all snapshots, which get other ids. The folder stays as it is.
  package mutating func purge(_ path: [UInt8]) {
    for index in snapshots.indices {
      var content = snapshots[index].content
      if case .tree(let tree) = content { content = .tree(tree.without(path)) }
      snapshots[index] = Snapshot(content: content, id: nil)
    }
    func purge(_ steps: inout [Step]) {
      for index in steps.indices {
        steps[index].paths.removeAll { $0 == path || $0.starts(with: path + [UInt8(ascii: "/")]) }
      }
    }
    purge(&steps)
    for index in others.indices { purge(&others[index].steps) }
  }

  /// Saves unsaved changes of these paths, or of the whole folder, as a step. Its snapshot is the one at the position
  /// with these paths as the folder has them. Returns false when there are no such changes.
  @discardableResult
  package mutating func addGuard(of paths: [[UInt8]] = []) -> Bool {
    if isClean(paths) { return false }
    append(add(.tree(seen(paths))), folder.withObstacles(paths))
    return true
  }

  /// The model after an operation on these paths was interrupted and then aborted.
  package func takenBack(_ paths: [[UInt8]]) -> FolderModel {
    var model = self
    model.addGuard(of: paths)
    if !paths.isEmpty, let before = model.current.flatMap({ model.tree($0) }) {
      model.folder = folder.restoring(folder.withObstacles(paths), from: before)
    }
    return model
  }

  /// Whether these paths are equal in the folder and in the snapshot at the position.
  package func isClean(_ paths: [[UInt8]]) -> Bool {
    if paths.isEmpty || isSaved { return isSaved }
    guard let base = current.flatMap(tree) else { return false }
    return base.restoring(folder.withObstacles(paths), from: folder) == base
  }

  /// The snapshot at the position, with these paths as the folder has them, and with the times of the folders above
  /// them.
  private func seen(_ paths: [[UInt8]]) -> FolderTree {
    guard !paths.isEmpty, let base = current.flatMap(tree) else { return folder }
    return base.restoring(folder.withObstacles(paths), from: folder, takingTimes: true)
  }

  /// Restores a snapshot. Returns false and does nothing when it is a value, or when a path is neither in it nor in the
  /// folder.
  package mutating func restore(_ snapshot: Int, paths: [[UInt8]] = [], keepExtra: Bool = false, discard: Bool = false)
    -> Bool
  {
    guard let target = tree(snapshot), folder.knows(paths, or: target) else { return false }
    let result = folder.restoring(paths, from: target, keepExtra: keepExtra)
    // When the paths are already as in the snapshot, the restore makes no step.
    if !paths.isEmpty, folder == result { return true }
    let before = current
    let seen = seen(paths)
    let wider = folder.withObstacles(paths)
    let isGuarded = !discard && addGuard(of: paths)
    folder = result
    if paths.isEmpty, !keepExtra {
      if current != snapshot { append(snapshot) }
      return true
    }
    // A mix of two snapshots becomes a new snapshot, unless an existing one is equal to it.
    let goal = seen.restoring(paths, from: target, keepExtra: keepExtra)
    let known = [isGuarded ? current : nil, before].compactMap(\.self)
    let step = known.first { tree($0) == goal } ?? add(.tree(goal))
    if current != step { append(step, wider) }
    return true
  }

  /// Moves the position: a negative number of steps is undo, a positive one is redo. Returns false and does nothing
  /// when there are not so many steps, or when a redo would lose unsaved changes.
  package mutating func move(by steps: Int) -> Bool {
    let paths = folder.withObstacles(pathsMoved(by: steps))
    if steps > 0, !isClean(paths) { return false }
    var moved = self
    if position != nil { moved.addGuard(of: paths) }
    guard steps != 0, let position = moved.position, moved.steps.indices.contains(position + steps),
      let tree = moved.tree(moved.steps[position + steps].snapshot)
    else { return false }
    moved.position = position + steps
    moved.folder = paths.isEmpty ? tree : folder.restoring(paths, from: tree)
    self = moved
    return true
  }

  /// The paths that a move changes; empty when it changes the whole folder. With unsaved changes, a move over steps
  /// that all concern paths changes only these paths.
  package func pathsMoved(by count: Int) -> [[UInt8]] {
    guard !isSaved, let position else { return [] }
    let passed =
      count < 0
      ? steps[max(0, position + 1 + count)...position]
      : steps[min(position + 1, steps.count)..<min(position + 1 + count, steps.count)]
    if passed.contains(where: \.paths.isEmpty) { return [] }
    return FolderTree.merged(passed.flatMap(\.paths))
  }

  // MARK: Forks

  /// How many folders the store has.
  package var places: Int { others.count + 1 }

  /// The content of a folder.
  package func folder(at number: Int) -> FolderTree {
    number == here ? folder : others[number < here ? number : number - 1].folder
  }

  /// Makes a fork of a snapshot. Returns false and does nothing when that is a value.
  package mutating func fork(_ snapshot: Int) -> Bool {
    guard let tree = tree(snapshot) else { return false }
    others.append(Place(folder: tree, steps: [Step(snapshot: snapshot)], position: 0))
    return true
  }

  /// Works in another folder from now on.
  package mutating func go(to number: Int) {
    var all = allPlaces
    let next = all.remove(at: number)
    (folder, steps, position) = (next.folder, next.steps, next.position)
    others = all
    here = number
  }

  /// Forgets a fork in which nobody works.
  package mutating func forget(_ number: Int) {
    others.remove(at: number < here ? number : number - 1)
    if number < here { here -= 1 }
  }

  private var allPlaces: [Place] {
    var all = others
    all.insert(Place(folder: folder, steps: steps, position: position), at: here)
    return all
  }

  private mutating func add(_ content: Content) -> Int {
    snapshots.append(Snapshot(content: content, id: nil))
    return snapshots.count - 1
  }

  private mutating func append(_ snapshot: Int, _ paths: [[UInt8]] = []) {
    if let position { steps.removeSubrange((position + 1)...) }
    steps.append(Step(snapshot: snapshot, paths: FolderTree.merged(paths)))
    steps.removeFirst(max(0, steps.count - FolderModel.longestTimeline))
    position = steps.count - 1
  }

  /// Drops the oldest steps until there are `count`. False when a step that stays whatever happens would go: the
  /// current one, one after it, or one of the newest `kept` without a name.
  package mutating func dropOldest(downTo count: Int, keeping kept: Int) -> Bool {
    let dropped = steps.count - count
    guard dropped >= 0, dropped <= position ?? 0 else { return false }
    let named = Set(states.values)
    let rest = Set(steps[dropped...].map(\.snapshot)).subtracting(named)
    guard dropped == 0 || rest.count >= kept else { return false }
    steps.removeFirst(dropped)
    position = position.map { $0 - dropped }
    return true
  }

  // MARK: Comparison

  /// The differences from the store's `refs` as text. Records the ids of new snapshots.
  package mutating func differences(from refs: RefsText) -> [String] {
    var result: [String] = []
    if Set(states.keys) != Set(refs.states.keys) {
      result.append("the states are \(refs.states.keys.sorted()), not \(states.keys.sorted())")
    }
    let written = [refs.main] + refs.forks.map(\.folder)
    let places = allPlaces
    if places.count != written.count { result.append("there are \(written.count) folders, not \(places.count)") }
    for (place, found) in zip(places, written) {
      if place.steps.count != found.steps.count || place.position != found.position {
        result.append(
          "the timeline has \(found.steps.count) steps and is at \(found.position ?? -1), not \(place.steps.count) and "
            + "at \(place.position ?? -1)")
      }
      if found.isRestorePending { result.append("a restore is pending") }
    }
    if !result.isEmpty { return result }
    for (name, snapshot) in states where !learn(snapshot, refs.states[name]) {
      result.append("\(name) is another snapshot")
    }
    for (place, found) in zip(places, written) {
      for (index, step) in place.steps.enumerated() {
        if !learn(step.snapshot, found.steps[index]) { result.append("step \(index) is another snapshot") }
        if step.paths != found.paths[index] { result.append("step \(index) is about other paths") }
      }
    }
    return result
  }

  private mutating func learn(_ snapshot: Int, _ id: String?) -> Bool {
    if snapshots[snapshot].id == nil { snapshots[snapshot].id = id }
    return snapshots[snapshot].id == id
  }
}
