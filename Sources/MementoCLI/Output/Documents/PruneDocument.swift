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

/// The same of a remote, with what `gc --remote` frees then.
struct RemotePruneDocument: Encodable {
  let schema = 1
  let remote: String
  let kept: [PruneDocument.Kept]
  let removed: [PruneDocument.Removed]
  /// Left out when nothing is removed, or when it cannot be known.
  let unneeded: RemotePacksDocument?
  /// The same. Its bytes are what rewriting frees.
  let sparse: RemotePacksDocument?
  /// Left out when all is known.
  let problem: String?
  let dryRun: Bool

  init(_ summary: RemotePruneSummary) {
    let states = PruneDocument(summary.states)
    remote = summary.remote
    kept = states.kept
    removed = states.removed
    unneeded = summary.unneeded.map(RemotePacksDocument.init)
    sparse = summary.sparse.map(RemotePacksDocument.init)
    problem = summary.problem
    dryRun = states.dryRun
  }
}
