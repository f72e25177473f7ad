// The JSON of gc, verify and stats about a remote.

import MementoKit

struct RemotePacksDocument: Encodable {
  let packs: Int
  let bytes: UInt64
  /// By the clock of the remote; left out when nothing is due.
  let due: String?

  init(_ count: RemotePackCount) {
    packs = count.packs
    bytes = count.bytes
    due = count.due?.rfc3339
  }
}

struct RemoteCollectionDocument: Encodable {
  let schema = 1
  let remote: String
  let all: RemotePacksDocument
  let marked: RemotePacksDocument
  let waiting: RemotePacksDocument
  let kept: RemotePacksDocument
  let young: RemotePacksDocument
  let removed: RemotePacksDocument
  let rewritten: RemotePacksDocument
  let youngSparse: RemotePacksDocument
  let bytesMoved: UInt64
  let packsMade: Int
  let rewriteThreshold: UInt64
  let indexesReplaced: Int
  let recordsRemoved: Int
  let complete: Bool
  let dryRun: Bool

  init(_ summary: RemoteCollectionSummary) {
    remote = summary.remote
    all = RemotePacksDocument(summary.all)
    marked = RemotePacksDocument(summary.marked)
    waiting = RemotePacksDocument(summary.waiting)
    kept = RemotePacksDocument(summary.kept)
    young = RemotePacksDocument(summary.young)
    removed = RemotePacksDocument(summary.removed)
    rewritten = RemotePacksDocument(summary.rewritten)
    youngSparse = RemotePacksDocument(summary.youngSparse)
    bytesMoved = summary.bytesMoved
    packsMade = summary.packsMade
    rewriteThreshold = summary.rewriteThreshold
    indexesReplaced = summary.indexesReplaced
    recordsRemoved = summary.recordsRemoved
    complete = summary.isComplete
    dryRun = !summary.isCommitted
  }
}

struct RemoteStatisticsDocument: Encodable {
  struct Folder: Encodable {
    let name: String
    let objects: Int
    let bytes: UInt64
  }

  let schema = 1
  let remote: RemotesDocument.Entry
  let folders: [Folder]
  let objects: Int
  let bytes: UInt64
  let states: Int
  let writers: Int
  let unlisted: RemotePacksDocument
  let marked: RemotePacksDocument
  let due: RemotePacksDocument
  let time: String

  init(_ found: RemoteStatistics) {
    remote = RemotesDocument.Entry(found.remote)
    folders = found.folders.map { Folder(name: $0.name, objects: $0.objects, bytes: $0.bytes) }
    objects = found.folders.reduce(0) { $0 + $1.objects }
    bytes = found.folders.reduce(0) { $0 + $1.bytes }
    states = found.states
    writers = found.writers
    unlisted = RemotePacksDocument(found.unlisted)
    marked = RemotePacksDocument(found.marked)
    due = RemotePacksDocument(found.due)
    time = found.time.rfc3339
  }
}

struct RemoteVerifyDocument: Encodable {
  struct Sent: Encodable {
    let damageBefore: Int
    let records: Int
    let blobs: Int
    let packs: Int
    let bytes: UInt64
  }

  let schema = 1
  let remote: String
  let records: Int
  let recordsReplaced: Int
  let packs: Int
  let snapshots: Int
  let bytesRead: UInt64
  let lastVerified: OrNull<String>
  let damage: [VerifyDocument.Damage]
  /// Left out when nothing was to be repaired.
  let repair: Sent?

  init(_ found: RemoteVerifyReport) {
    remote = found.remote
    records = found.records
    recordsReplaced = found.recordsReplaced
    packs = found.report.packs
    snapshots = found.report.snapshots
    bytesRead = found.report.bytesRead
    lastVerified = OrNull(found.report.lastVerified?.rfc3339)
    damage = found.report.damage.map(VerifyDocument.Damage.init)
    repair = found.sent.map {
      Sent(damageBefore: $0.damageBefore, records: $0.records, blobs: $0.blobs, packs: $0.packs, bytes: $0.bytes)
    }
  }
}
