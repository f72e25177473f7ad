// Turns the graph of all objects into numbers.

internal import MementoStore

struct StatisticsReport {
  let graph: ObjectGraph
  let sizes: ObjectSizes
  let roots: SnapshotRoots
  let records: [ObjectID: SnapshotRecord]
  private var holders: ObjectHolders
  private(set) var result = StoreStatistics()

  init(graph: ObjectGraph, sizes: ObjectSizes, roots: SnapshotRoots, records: [ObjectID: SnapshotRecord]) {
    self.graph = graph
    self.sizes = sizes
    self.roots = roots
    self.records = records
    holders = ObjectHolders(count: graph.count)
    for id in roots.all {
      guard let start = graph.number(of: id) else { continue }
      holders.add(roots.marks[id] ?? [], holder: roots.holders[id], from: start, in: graph)
    }
    // A tree that could not be read names objects that nobody could measure: these are not in the graph.
    result.damage = graph.faults + sizes.missing
  }

  // MARK: States

  mutating func countStates(_ refs: Refs) {
    var amounts = [HeldAmounts](repeating: HeldAmounts(), count: roots.holders.count)
    for object in 0..<graph.count {
      let size = sizes[object]
      let marks = holders.marks(of: object)
      if !marks.isEmpty { result.keptBytes += size.stored }
      if let holder = holders.onlyHolder(of: object) {
        let isKept = !marks.isDisjoint(with: [.timeline, .trash])
        amounts[holder].alone += size
        if !marks.contains(.position) {
          amounts[holder].freedLater += size
          if !isKept { amounts[holder].freedNow += size }
        }
      }
      if marks.contains(.chosen) { countChosen(size, marks) }
    }
    for (name, id) in roots.chosen.states {
      let record = records[id]
      var own = roots.holders[id].map { amounts[$0] } ?? HeldAmounts()
      // Another name of the same snapshot has all of it.
      if roots.names[id, default: 0] > 1 { own = HeldAmounts() }
      result.states.append(
        StoreStatistics.State(
          name: name, snapshot: SnapshotID(id), time: record.map { SnapshotTime($0.time) }, files: record?.files ?? 0,
          rawBytes: record?.bytes ?? 0, isCurrent: id == roots.position, amounts: own))
      result.rawBytes += record?.bytes ?? 0
      result.files += record?.files ?? 0
    }
  }

  private mutating func countChosen(_ size: StoredAmount, _ marks: ObjectHolders.Marks) {
    result.all += size
    let isPositionChosen = roots.position.map { roots.marks[$0]?.contains(.chosen) == true } ?? false
    if !marks.contains(.otherState), isPositionChosen || !marks.contains(.position) { result.amounts.alone += size }
    if marks.contains(.otherState) {
      result.keepers.otherStates += size
    } else if marks.contains(.position) {
      result.keepers.position += size
    } else {
      result.amounts.freedLater += size
      if marks.contains(.timeline) {
        result.keepers.timeline += size
      } else if marks.contains(.trash) {
        result.keepers.trash += size
      } else {
        result.amounts.freedNow += size
      }
    }
  }

  /// Which states that were not chosen keep what the chosen ones have. Each object counts once, at the newest state.
  mutating func countKeepers(_ refs: Refs) {
    let chosen = Set(roots.chosen.states.compactMap(\.name))
    var names: [ObjectID: [String]] = [:]
    for state in refs.states where !chosen.contains(state.name) {
      names[state.snapshot, default: []].append(state.name)
    }
    let newest = names.keys.compactMap { id in records[id].map { (id: id, time: $0.time) } }
      .sorted { ($1.time, $0.id) < ($0.time, $1.id) }
    var seen = ContiguousArray<Bool>(repeating: false, count: graph.count)
    for (id, _) in newest {
      guard let start = graph.number(of: id) else { continue }
      var sum = StoredAmount()
      graph.spread(from: start) { object in
        if seen[object] { return false }
        seen[object] = true
        if holders.marks(of: object).contains(.chosen) { sum += sizes[object] }
        return true
      }
      if sum == StoredAmount() { continue }
      result.keepers.states.append(
        StoreStatistics.Keeper(names: names[id] ?? [], snapshot: SnapshotID(id), amount: sum))
    }
    result.keepers.states.sort { $0.amount.raw > $1.amount.raw }
  }

  // MARK: Parts

  mutating func countKinds() {
    let kinds = graph.kindsOfAll()
    var amounts = [StoredAmount](repeating: StoredAmount(), count: graph.kindNames.count)
    for object in 0..<graph.count where kinds[object] != 0 && holders.marks(of: object).contains(.chosen) {
      amounts[Int(kinds[object]) - 1] += sizes[object]
    }
    result.kinds = StatisticsReport.sorted(zip(graph.kindNames, amounts).map { ($0, $1) })
  }

  /// Of folders at the top, the newest snapshot that has one counts first.
  mutating func countFolders(in source: any MetaSource) throws(StoreError) {
    var amounts: [[UInt8]: StoredAmount] = [:]
    var seen = ContiguousArray<Bool>(repeating: false, count: graph.count)
    let chosen = Set(roots.chosen.states.map(\.snapshot)).compactMap { records[$0] }.sorted { $0.time > $1.time }
    var trees: Set<ObjectID> = []
    for tree in chosen.compactMap(\.tree) where trees.insert(tree).inserted {
      for (name, content) in try topEntries(of: tree, in: source) {
        guard let start = graph.number(of: content) else { continue }
        let sum = sum(below: start, &seen)
        if sum != StoredAmount() { amounts[name, default: StoredAmount()] += sum }
      }
    }
    result.folders = StatisticsReport.sorted(amounts.map { ($0.key, $0.value) })
  }

  /// What the entries at the top hold. What cannot be read has been counted as damage by the walk.
  private func topEntries(
    of tree: ObjectID, in source: any MetaSource
  ) throws(StoreError) -> [(name: [UInt8], content: ObjectID)] {
    var entries: [(name: [UInt8], content: ObjectID)] = []
    var reader = TreeReader(tree, in: source)
    do throws(StoreError) {
      while let entry = try reader.next() {
        switch entry.content {
        case .directory(let below): entries.append((entry.name, below))
        case .file(_, let content) where content.level > 0: entries.append(([], content.id))
        default: break
        }
      }
    } catch {
      if !error.isDamage { throw error }
    }
    return entries
  }

  private static func sorted(_ parts: [(name: [UInt8], amount: StoredAmount)]) -> [StoreStatistics.Part] {
    parts.filter { $0.amount != StoredAmount() }
      .sorted {
        $0.amount.raw == $1.amount.raw ? $0.name.lexicographicallyPrecedes($1.name) : $0.amount.raw > $1.amount.raw
      }
      .map { StoreStatistics.Part(name: $0.name, amount: $0.amount) }
  }

  // MARK: Time

  mutating func countGrowth() {
    var seen = ContiguousArray<Bool>(repeating: false, count: graph.count)
    for (id, record) in records.sorted(by: { ($0.value.time, $0.key) < ($1.value.time, $1.key) }) {
      guard let start = graph.number(of: id) else { continue }
      result.growth.append(
        StoreStatistics.Growth(
          snapshot: SnapshotID(id), time: SnapshotTime(record.time), added: sum(below: start, &seen)))
    }
  }

  /// How much an object and all below it take, without what was seen before.
  private func sum(below start: Int, _ seen: inout ContiguousArray<Bool>) -> StoredAmount {
    var sum = StoredAmount()
    graph.spread(from: start) { object in
      if seen[object] { return false }
      seen[object] = true
      sum += sizes[object]
      return true
    }
    return sum
  }
}
