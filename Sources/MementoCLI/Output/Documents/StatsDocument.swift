// The JSON of `memento stats`.

import MementoKit

struct StatsDocument: Encodable {
  struct Amount: Encodable {
    let rawBytes: UInt64
    let storedBytes: UInt64

    init(_ amount: StoredAmount) {
      rawBytes = amount.raw
      storedBytes = amount.stored
    }
  }

  struct State: Encodable {
    let name: OrNull<String>
    let id: String
    let time: OrNull<String>
    let current: Bool
    let files: Int
    let rawBytes: UInt64
    let uniqueBytes: UInt64
    let uniqueStoredBytes: UInt64
    let freedNow: Amount
    let freedLater: Amount
  }

  struct Keeper: Encodable {
    let names: [String]
    let id: String
    let rawBytes: UInt64
    let storedBytes: UInt64
  }

  struct Keepers: Encodable {
    let otherStates: Amount
    let states: [Keeper]
    let position: Amount
    let timeline: Amount
    let trash: Amount
  }

  struct Part: Encodable {
    let name: String
    let nameB64: String?
    let rawBytes: UInt64
    let storedBytes: UInt64

    init(_ part: StoreStatistics.Part) {
      name = BytePath(part.name).lossyText
      nameB64 = BytePath(part.name).base64
      rawBytes = part.amount.raw
      storedBytes = part.amount.stored
    }
  }

  struct Growth: Encodable {
    let id: String
    let time: String
    let rawBytes: UInt64
    let storedBytes: UInt64
  }

  let schema = 1
  /// Bytes of all files of all states.
  let rawBytes: UInt64
  /// Bytes before compression of what they are made of, each thing once.
  let distinctBytes: UInt64
  let storedBytes: UInt64
  /// Whether numbers of stored bytes are shares of blocks. Always true for now.
  let storedBytesAreProrated = true
  let files: Int
  let states: [State]
  let unique: Amount
  let freedNow: Amount
  let freedLater: Amount
  let keptBy: Keepers
  let folders: [Part]
  let kinds: [Part]
  let growth: [Growth]
  let packs: Int
  let packBytes: UInt64
  let keptBytes: UInt64
  let lastVerified: OrNull<String>

  init(_ found: StoreStatistics) {
    rawBytes = found.rawBytes
    distinctBytes = found.all.raw
    storedBytes = found.all.stored
    files = found.files
    states = found.states.map { state in
      State(
        name: OrNull(state.name), id: state.snapshot.description, time: OrNull(state.time?.rfc3339),
        current: state.isCurrent, files: state.files, rawBytes: state.rawBytes, uniqueBytes: state.amounts.alone.raw,
        uniqueStoredBytes: state.amounts.alone.stored, freedNow: Amount(state.amounts.freedNow),
        freedLater: Amount(state.amounts.freedLater))
    }
    unique = Amount(found.amounts.alone)
    freedNow = Amount(found.amounts.freedNow)
    freedLater = Amount(found.amounts.freedLater)
    keptBy = Keepers(
      otherStates: Amount(found.keepers.otherStates),
      states: found.keepers.states.map {
        Keeper(
          names: $0.names, id: $0.snapshot.description, rawBytes: $0.amount.raw, storedBytes: $0.amount.stored)
      }, position: Amount(found.keepers.position),
      timeline: Amount(found.keepers.timeline), trash: Amount(found.keepers.trash))
    folders = found.folders.map { Part($0) }
    kinds = found.kinds.map { Part($0) }
    growth = found.growth.map {
      Growth(
        id: $0.snapshot.description, time: $0.time.rfc3339, rawBytes: $0.added.raw, storedBytes: $0.added.stored)
    }
    packs = found.packs
    packBytes = found.packBytes
    keptBytes = found.keptBytes
    lastVerified = OrNull(found.lastVerified?.rfc3339)
  }
}
