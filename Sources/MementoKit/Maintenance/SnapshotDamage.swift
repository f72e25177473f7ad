// Which states and paths are hurt, grouped for a report.

internal import MementoStore

enum SnapshotDamage {
  /// Checks snapshots. Damage that several of them share is reported only once. `names`: what leads to them.
  static func find(
    in roots: [ObjectID], _ names: [ObjectID: [String]], _ walker: inout SnapshotCheck
  ) throws(StoreError) -> [VerifyReport.Damage] {
    var messages: [(message: String, root: Int32)] = []
    var trees: [(root: Int32, tree: ObjectID)] = []
    for (number, root) in roots.enumerated() {
      let outcome = try walker.check(root)
      messages += outcome.messages.map { ($0, Int32(number)) }
      if let tree = outcome.tree { trees.append((Int32(number), tree)) }
    }
    var findings = DamagedPaths(walker.hurt).findings(trees)
    let alone = Dictionary(grouping: messages, by: \.message).mapValues { Set($0.map(\.root)).sorted() }
    for (message, roots) in alone { findings.append(DamagedPaths.Finding(path: nil, message: message, roots: roots)) }
    return damage(findings, roots, names)
  }

  /// Groups the damage by the snapshots that have it. Each group is sorted by path, and the groups by their first path.
  private static func damage(
    _ findings: [DamagedPaths.Finding], _ roots: [ObjectID], _ names: [ObjectID: [String]]
  ) -> [VerifyReport.Damage] {
    let groups = Dictionary(grouping: findings, by: \.roots).map { numbers, findings in
      let hurt = numbers.map { roots[Int($0)] }
      let states = hurt.flatMap { names[$0] ?? [] }.sorted()
      let snapshots = hurt.filter { names[$0] == nil }.map { SnapshotID($0) }
      return findings.map {
        VerifyReport.Damage(message: $0.message, states: states, path: $0.path, snapshots: snapshots)
      }.sorted(by: precedes)
    }
    return groups.sorted { precedes($0[0], $1[0]) }.flatMap { $0 }
  }

  private static func precedes(_ left: VerifyReport.Damage, _ right: VerifyReport.Damage) -> Bool {
    if left.path == right.path { return left.message < right.message }
    return (left.path ?? BytePath("")) < (right.path ?? BytePath(""))
  }
}
