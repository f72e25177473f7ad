// The JSON of `memento purge`.

import MementoKit

struct PurgeDocument: Encodable {
  struct Path: Encodable {
    let path: String
    let pathB64: String?
    let snapshots: Int
    /// Null when the folder cannot be looked at.
    let inFolder: OrNull<Bool>
    let ignored: Bool
  }

  struct State: Encodable {
    let name: String
    let id: String
    /// For a dry run the id that it would get.
    let newId: String
    /// False for a state that only comes after one that had a path.
    let hadPath: Bool
  }

  struct Shared: Encodable {
    /// Null for a value.
    let path: OrNull<String>
    let pathB64: String?
    let snapshot: String
    let names: [String]
    let bytes: UInt64
  }

  struct File: Encodable {
    let file: String
    let fileB64: String?
    let reason: String
    /// Whether another purge removes it.
    let unfinished: Bool
  }

  let schema = 1
  let paths: [Path]
  let states: [State]
  let snapshotsPurged: Int
  let snapshotsRewritten: Int
  let versions: Int
  let bytes: UInt64
  let shared: [Shared]
  let sharedOmitted: Int
  let filesRemoved: [String]
  let remaining: [File]
  let packsRemoved: Int
  let packsRewritten: Int
  let blobsRemoved: Int
  let bytesFreed: UInt64
  let bytesKept: UInt64
  let dryRun: Bool

  init(_ summary: PathPurgeSummary) {
    paths = summary.paths.map {
      Path(
        path: $0.path.lossyText, pathB64: $0.path.base64, snapshots: $0.snapshots, inFolder: OrNull($0.isInFolder),
        ignored: $0.isIgnored)
    }
    states = summary.states.map {
      State(name: $0.name, id: $0.before.description, newId: $0.after.description, hadPath: $0.hadPath)
    }
    shared = summary.shared.map {
      Shared(
        path: OrNull($0.path?.lossyText), pathB64: $0.path?.base64, snapshot: $0.snapshot.description, names: $0.names,
        bytes: $0.bytes)
    }
    remaining = summary.remaining.map {
      File(file: $0.file.lossyText, fileB64: $0.file.base64, reason: $0.detail, unfinished: $0.isUnfinished)
    }
    filesRemoved = summary.filesRemoved.map(\.lossyText)
    sharedOmitted = summary.sharedCount - summary.shared.count
    snapshotsPurged = summary.snapshotsPurged
    snapshotsRewritten = summary.snapshotsRewritten
    versions = summary.versions
    bytes = summary.bytes
    packsRemoved = summary.packsRemoved
    packsRewritten = summary.packsRewritten
    blobsRemoved = summary.blobsRemoved
    bytesFreed = summary.bytesFreed
    bytesKept = summary.bytesKept
    dryRun = !summary.isCommitted
  }
}
