// The JSON of `memento prune`.

import MementoKit

struct PruneDocument: Encodable {
  struct Kept: Encodable {
    let name: String
    let id: String
    let time: OrNull<String>
    let reasons: [String]
  }

  struct Removed: Encodable {
    let name: String
    let id: String
    let time: OrNull<String>
  }

  let schema = 1
  let kept: [Kept]
  let removed: [Removed]
  let dryRun: Bool

  init(_ summary: PruneSummary) {
    kept = summary.kept.map {
      Kept(name: $0.name, id: $0.snapshot.description, time: OrNull($0.time?.rfc3339), reasons: $0.reasons)
    }
    removed = summary.removed.map {
      Removed(name: $0.name, id: $0.snapshot.description, time: OrNull($0.time?.rfc3339))
    }
    dryRun = !summary.isCommitted
  }
}
