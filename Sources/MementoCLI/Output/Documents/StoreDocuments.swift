// What was done to the store or found in it, in JSON.

import MementoKit

struct InitDocument: Encodable {
  let schema = 1
  let folder: String
  let folderB64: String?
  let store: String
  let storeB64: String?

  init(folder: BytePath, store: BytePath) {
    self.folder = folder.lossyText
    folderB64 = folder.base64
    self.store = store.lossyText
    storeB64 = store.base64
  }
}

struct GarbageDocument: Encodable {
  let schema = 1
  let packsRemoved: Int
  let packsRewritten: Int
  let blobsRemoved: Int
  let bytesFreed: UInt64
  let bytesKept: UInt64
  let dryRun: Bool

  init(_ summary: GarbageSummary) {
    packsRemoved = summary.packsRemoved
    packsRewritten = summary.packsRewritten
    blobsRemoved = summary.blobsRemoved
    bytesFreed = summary.bytesFreed
    bytesKept = summary.bytesKept
    dryRun = !summary.isCommitted
  }
}

struct VerifyDocument: Encodable {
  struct Damage: Encodable {
    let message: String
    let states: [String]
    let path: OrNull<String>
    let pathB64: String?
  }

  struct Part: Encodable {
    let path: String
    let source: String
  }

  struct Repair: Encodable {
    let damageBefore: Int
    let packsSetAside: [String]
    let partsPutBack: [Part]
    let wentBackToPreviousNames: Bool
  }

  let schema = 1
  let packs: Int
  let blobs: Int
  let snapshots: Int
  let bytesRead: UInt64
  let damage: [Damage]
  let repair: Repair?

  init(_ report: VerifyReport, repair: RepairSummary?) {
    self.repair = repair.map {
      Repair(
        damageBefore: $0.damageBefore, packsSetAside: $0.packsSetAside,
        partsPutBack: $0.partsPutBack.map { Part(path: $0.path, source: $0.source.rawValue) },
        wentBackToPreviousNames: $0.wentBackToPreviousNames)
    }
    packs = report.packs
    blobs = report.blobs
    snapshots = report.snapshots
    bytesRead = report.bytesRead
    damage = report.damage.map {
      Damage(
        message: $0.message, states: $0.states, path: OrNull($0.path?.lossyText), pathB64: $0.path?.base64)
    }
  }
}
