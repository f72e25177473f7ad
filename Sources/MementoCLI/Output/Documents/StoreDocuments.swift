// The JSON of the commands init, gc and verify.

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
  struct Dropped: Encodable {
    let id: String
    let names: [String]
    let reason: String
    /// Null when it is not known.
    let bytes: OrNull<UInt64>
  }

  struct Held: Encodable {
    let id: String
    let names: [String]
    let reason: String
    /// Null when only the number of newer ones keeps it.
    let until: OrNull<String>
    let bytes: UInt64
    /// Whether a part of the snapshot is missing or damaged.
    let damaged: Bool
  }

  /// What keeps the space, in stored bytes.
  struct Space: Encodable {
    let named: UInt64
    let unnamed: UInt64
    let trash: UInt64
    let unneeded: UInt64
  }

  let schema = 1
  let packsRemoved: Int
  let packsRewritten: Int
  let packsNotRewritten: Int
  let packsPostponed: Int
  let versionsSorted: Int
  /// In percent.
  let rewriteThreshold: UInt64
  let stepsDropped: Int
  let blobsRemoved: Int
  let bytesFreed: UInt64
  let bytesKept: UInt64
  let dropped: [Dropped]
  let held: [Held]
  let space: Space
  let maxSize: OrNull<UInt64>
  /// The forks whose folder is not where it was; what they need is kept. Left out when there are none.
  let missingForks: [ForksDocument.Entry]?
  let dryRun: Bool

  init(_ summary: GarbageSummary, _ forks: [Fork] = []) {
    let missing = forks.filter { $0.presence == .missing }
    missingForks = missing.isEmpty ? nil : missing.map(ForksDocument.Entry.init)
    dropped = summary.dropped.map {
      Dropped(
        id: $0.id.description, names: $0.names, reason: $0.reason.description, bytes: OrNull($0.bytes))
    }
    space = Space(
      named: summary.space.named, unnamed: summary.space.unnamed, trash: summary.space.trash,
      unneeded: summary.space.unneeded)
    maxSize = OrNull(summary.budget)
    packsNotRewritten = summary.packsNotRewritten
    packsPostponed = summary.packsPostponed
    versionsSorted = summary.versionsSorted
    rewriteThreshold = summary.rewriteThreshold
    stepsDropped = summary.stepsDropped
    held = summary.held.map {
      Held(
        id: $0.id.description, names: $0.names, reason: $0.reason.description, until: OrNull($0.until?.rfc3339),
        bytes: $0.bytes,
        damaged: !$0.isWhole)
    }
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
    /// The damaged snapshots that no state names; left out when there are none.
    let snapshots: [String]?
    /// Whether the damaged part can be rebuilt from the packs; left out when it cannot.
    let derived: Bool?

    init(_ damage: VerifyReport.Damage) {
      message = damage.message
      states = damage.states
      path = OrNull(damage.path?.lossyText)
      pathB64 = damage.path?.base64
      snapshots = damage.snapshots.isEmpty ? nil : damage.snapshots.map(\.description)
      derived = damage.isDerived ? true : nil
    }
  }

  struct HurtPath: Encodable {
    let path: OrNull<String>
    let pathB64: String?
    let message: String
  }

  /// Damaged paths, and the states that all of these paths belong to.
  struct Hurt: Encodable {
    let states: [String]
    let snapshots: [String]
    let paths: [HurtPath]
  }

  struct Part: Encodable {
    let path: String
    let source: String
  }

  struct Repair: Encodable {
    let damageBefore: Int
    let packsSetAside: [String]
    let packsHealed: [String]
    let parityMade: Int
    let partsPutBack: [Part]
    let wentBackToPreviousNames: Bool
    /// Left out when no remote was asked.
    let remotes: [String]?
    let blobsFromRemotes: Int?
    let remoteProblems: [String]?
  }

  /// The largest number of state names in `damage`, which repeats them for each path.
  private static let mostNames = 1 << 18

  let schema = 1
  let packs: Int
  let blobs: Int
  let snapshots: Int
  let bytesRead: UInt64
  /// Files that are damaged and were read through their parity or from their second copy.
  let healed: [String]
  let packsWithoutParity: Int
  let lastVerified: OrNull<String>
  let damage: [Damage]
  /// The number of entries that are only in `hurt` and not in `damage`; left out when there are none.
  let damageOmitted: Int?
  let hurt: [Hurt]
  let repair: Repair?

  init(_ report: VerifyReport, repair: RepairSummary?) {
    self.repair = repair.map {
      Repair(
        damageBefore: $0.damageBefore, packsSetAside: $0.packsSetAside, packsHealed: $0.packsHealed,
        parityMade: $0.parityMade,
        partsPutBack: $0.partsPutBack.map { Part(path: $0.path, source: $0.source.description) },
        wentBackToPreviousNames: $0.wentBackToPreviousNames, remotes: $0.fromRemotes?.remotes,
        blobsFromRemotes: $0.fromRemotes?.blobs, remoteProblems: $0.fromRemotes?.problems)
    }
    packs = report.packs
    blobs = report.blobs
    snapshots = report.snapshots
    bytesRead = report.bytesRead
    healed = report.healed
    packsWithoutParity = report.packsWithoutParity
    lastVerified = OrNull(report.lastVerified?.rfc3339)
    var names = 0
    damage = report.damage.prefix {
      names += $0.states.count + $0.snapshots.count
      return names <= VerifyDocument.mostNames || names == $0.states.count + $0.snapshots.count
    }.map(Damage.init)
    damageOmitted = report.damage.count > damage.count ? report.damage.count - damage.count : nil
    hurt = VerifyDocument.groups(report.damage)
  }

  /// Groups neighbouring entries that belong to the same states. The report already has these together.
  private static func groups(_ damage: [VerifyReport.Damage]) -> [Hurt] {
    var groups: [Hurt] = []
    var start = 0
    for end in damage.indices.map({ $0 + 1 }) {
      let first = damage[start]
      if end < damage.count, damage[end].states == first.states, damage[end].snapshots == first.snapshots { continue }
      if !first.states.isEmpty || !first.snapshots.isEmpty {
        groups.append(
          Hurt(
            states: first.states, snapshots: first.snapshots.map(\.description),
            paths: damage[start..<end].map {
              HurtPath(path: OrNull($0.path?.lossyText), pathB64: $0.path?.base64, message: $0.message)
            }))
      }
      start = end
    }
    return groups
  }
}
