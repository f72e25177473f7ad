// The command that takes back what a command has done, for programs to run. It names ids, so that it means the same when
// other commands have run meanwhile.

import MementoKit

enum TakingBack {
  /// What takes a save back that gave `name`; nil when there is nothing to take back.
  static func command(_ summary: SaveSummary, name: String?) -> String? {
    guard summary.isCommitted, !summary.isUnchanged else { return nil }
    if let listed = summary.listed, !listed.isEmpty, let before = summary.snapshot.parent { return restore(before) }
    guard let name = name.map(ShellWord.quoted) else { return nil }
    return summary.replaced.map { "memento save \(name) --from \($0)" } ?? "memento delete \(name)"
  }

  static func restore(_ snapshot: SnapshotID) -> String {
    "memento restore \(snapshot)"
  }
}
