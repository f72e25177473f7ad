// Finds the paths, and the snapshots that have them, for damaged trees.

internal import MementoStore

/// Goes down all snapshots at once, level by level. A damaged tree at one path is read once, however many snapshots
/// have it there.
struct DamagedPaths {
  /// Numbers of snapshots, ascending.
  typealias Roots = [Int32]

  struct Finding {
    /// The damaged file or folder; nil for other damage.
    var path: BytePath?
    var message: String
    var roots: Roots
  }

  /// Shared trees can stand for more paths than any list can hold, so the search has limits.
  struct Limits {
    var paths = 1 << 18
    var bytes = 32 << 20
    /// How often the search may reach a path, counted over all snapshots.
    var meetings = 1 << 24
  }

  private let hurt: [ObjectID: TreeDamage]
  private var limits: Limits
  private var places: [Place: [Roots]] = [:]
  private var order: [Place] = []
  /// The snapshots for which the search has reached a limit.
  private var left: [Roots] = []

  init(_ hurt: [ObjectID: TreeDamage], limits: Limits = Limits()) {
    self.hurt = hurt
    self.limits = limits
  }

  private struct Node: Hashable {
    let path: BytePath
    let tree: ObjectID
  }

  private struct Place: Hashable {
    let path: BytePath
    let message: String
  }

  /// `trees`: the damaged root tree of each snapshot that has one, with the number of the snapshot.
  consuming func findings(_ trees: [(root: Int32, tree: ObjectID)]) -> [Finding] {
    var level: [Node: [Roots]] = [:]
    for (root, tree) in trees { level[Node(path: BytePath(""), tree: tree), default: []].append([root]) }
    while !level.isEmpty { level = descend(level) }
    var findings = order.map { place in
      Finding(
        path: place.path.bytes.isEmpty ? nil : place.path, message: place.message,
        roots: DamagedPaths.union(places[place] ?? []))
    }
    if !left.isEmpty {
      findings.append(
        Finding(path: nil, message: "more paths are hurt than can be listed", roots: DamagedPaths.union(left)))
    }
    return findings
  }

  /// Reads the damaged trees of one depth and returns those one level deeper.
  private mutating func descend(_ nodes: [Node: [Roots]]) -> [Node: [Roots]] {
    var level = nodes
    var below: [Node: [Roots]] = [:]
    // A large folder is stored as several trees that share its path. A tree has a lower level than the trees that refer
    // to it. The highest level goes first, so every tree comes after all trees that refer to it.
    while let highest = level.keys.compactMap({ hurt[$0.tree]?.level }).max() {
      let batch = level.filter { hurt[$0.key.tree]?.level == highest }
      for node in batch.keys { level[node] = nil }
      for (node, sets) in batch {
        guard let damage = hurt[node.tree] else { continue }
        let roots = DamagedPaths.union(sets)
        for (name, message) in damage.here {
          let place = Place(path: name.map { node.path.appending($0) } ?? node.path, message: message)
          let isNew = places[place] == nil
          guard spend(place.path, isNew: isNew) else {
            left.append(roots)
            break
          }
          if isNew { order.append(place) }
          places[place, default: []].append(roots)
        }
        for (name, tree) in damage.below {
          let next = Node(path: name.map { node.path.appending($0) } ?? node.path, tree: tree)
          let isNew = (name == nil ? level[next] : below[next]) == nil
          guard spend(next.path, isNew: isNew) else {
            left.append(roots)
            break
          }
          if name == nil { level[next, default: []].append(roots) } else { below[next, default: []].append(roots) }
        }
      }
    }
    return below
  }

  private mutating func spend(_ path: BytePath, isNew: Bool) -> Bool {
    guard limits.meetings > 0, !isNew || (limits.paths > 0 && limits.bytes >= path.bytes.count) else { return false }
    limits.meetings -= 1
    if isNew {
      limits.paths -= 1
      limits.bytes -= path.bytes.count
    }
    return true
  }

  private static func union(_ sets: [Roots]) -> Roots {
    if sets.count == 1 { return sets[0] }
    return Set(sets.joined()).sorted()
  }
}
