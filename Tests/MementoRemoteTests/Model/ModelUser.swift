// One machine that pulls and pushes, step by step.

import MementoModel
import MementoObjects
import MementoTime

@testable import MementoRemote

final class ModelUser {
  private let model: RemoteModel
  private let host: String
  private var state: RefsMark
  private var cache = MemoryIndexes()
  private var local: [RefName: ObjectID] = [:]
  /// What the push at work has put or relied upon.
  private var places: [ObjectID: Set<UInt8>] = [:]

  init(model: RemoteModel, host: String) {
    self.model = model
    self.host = host
    state = RefsMark(repository: "r", isSealed: false, writer: WriterID(using: &model.time.random))
  }

  private var time: VirtualTime { model.time }
  private var storage: SimulatedStorage { SimulatedStorage(bucket: model.bucket) }
  private var longPause: Int64 { time.happens(20) ? time.number(0...model.conditions.longestPush) : 0 }

  /// A push from its first look on. A step that fails ends the push, and the next one begins later.
  func step(_ rounds: Int) -> VirtualTime.AnyStep {
    attempt(rounds) { [self] () throws(RemoteError) in
      if time.happens(40) { try pull() }
      for name in RemoteModel.names where time.happens(50) {
        local[name] = ObjectID(time.random.next() & 0xffff, 1, 1, 1)
      }
      let pusher = try Pusher(
        storage, grace: model.conditions.grace, writer: state.writer, host: host, known: state.table,
        heads: state.heads, cache: &cache)
      let plan = PushedNames(local: local, bases: state.bases, table: pusher.table) { _ in
        SnapshotNote(time: model.bucket.clock)
      }
      return (longPause, upload(rounds, pusher, plan))
    }
  }

  private func attempt(
    _ rounds: Int, _ body: @escaping () throws(RemoteError) -> (Int64, VirtualTime.AnyStep)?
  ) -> VirtualTime.AnyStep {
    VirtualTime.AnyStep { [self] in
      do {
        if let next = try body() { return next }
        model.count("pushed")
      } catch {
        model.count("push failed")
      }
      return rounds == 1 ? nil : (time.number(0...40_000), step(rounds - 1))
    }
  }

  private func pull() throws(RemoteError) {
    let reading = try RefsReading.read(storage, known: state.table, heads: state.heads)
    let pulled = PulledNames(local: local, bases: state.bases, table: reading.table)
    for name in pulled.names { local[name.name] = name.result }
    state.bases = pulled.bases
    state.remember(reading)
  }

  private func upload(_ rounds: Int, _ begun: Pusher, _ plan: PushedNames) -> VirtualTime.AnyStep {
    attempt(rounds) { [self] () throws(RemoteError) in
      var pusher = begun
      places = [:]
      var missing: Set<UInt8> = []
      for blob in Set(plan.change.moves.values.flatMap { RemoteModel.blobs($0.snapshot) }).sorted() {
        let holders = cache.holders(of: blob, in: pusher.indexes.current).filter { pusher.isReliable($0) }
        if let pack = holders.min() {
          places[pack, default: []].insert(blob)
          pusher.rely(on: pack)
        } else {
          missing.insert(blob)
        }
      }
      let packs = try putPacks(missing, &pusher)
      return (longPause, index(rounds, pusher, plan, packs))
    }
  }

  private func index(
    _ rounds: Int, _ begun: Pusher, _ plan: PushedNames, _ packs: [IndexRecord.Pack]
  ) -> VirtualTime.AnyStep {
    attempt(rounds) { [self] () throws(RemoteError) in
      try putIndex(packs)
      return (longPause, commit(rounds, begun, plan))
    }
  }

  private func commit(_ rounds: Int, _ begun: Pusher, _ plan: PushedNames) -> VirtualTime.AnyStep {
    attempt(rounds) { [self] () throws(RemoteError) in
      var pusher = begun
      try replaceMarked(&pusher)
      if model.conditions.commitWait == 0 { return try put(rounds, pusher, plan) }
      return (
        time.number(0...model.conditions.commitWait),
        attempt(rounds) { [self, pusher] () throws(RemoteError) in
          try put(rounds, pusher, plan)
        }
      )
    }
  }

  private func put(
    _ rounds: Int, _ begun: Pusher, _ plan: PushedNames
  ) throws(RemoteError) -> (Int64, VirtualTime.AnyStep) {
    var pusher = begun
    model.willReplace(plan.change)
    let record = try pusher.commit(plan.change)
    if time.happens(model.conditions.deaths) { throw .unsettled }
    return (
      longPause,
      attempt(rounds) { [self, pusher] () throws(RemoteError) in
        var pusher = pusher
        try replaceMarked(&pusher)
        state.bases = plan.bases(after: state.bases, table: pusher.table, dot: record?.dot)
        state.table = pusher.table
        state.heads = pusher.heads(after: record)
        if let record { model.succeeded(plan.change, record.dot) }
        return nil
      }
    )
  }

  private func replaceMarked(_ pusher: inout Pusher) throws(RemoteError) {
    guard model.conditions.looksAgain else { return }
    while true {
      let lost = try pusher.packsToReplace(cache: &cache)
      if lost.isEmpty { return }
      model.count("relied packs were marked")
      let blobs = lost.reduce(into: Set<UInt8>()) { $0.formUnion(places.removeValue(forKey: $1) ?? []) }
      try putIndex(try putPacks(blobs, &pusher))
    }
  }

  private func putPacks(_ blobs: Set<UInt8>, _ pusher: inout Pusher) throws(RemoteError) -> [IndexRecord.Pack] {
    var packs: [IndexRecord.Pack] = []
    for half in [blobs.filter { $0 % 2 == 0 }, blobs.filter { $0 % 2 == 1 }] where !half.isEmpty {
      let name = PackObject.random(using: &time.random)
      let bytes = half.sorted()
      try storage.putRecord(bytes, as: PackObject.name(name))
      packs.append(IndexRecord.Pack(name: name, id: name, size: UInt64(bytes.count), contents: bytes))
      places[name] = half
      pusher.rely(on: name)
    }
    return packs
  }

  private func putIndex(_ packs: [IndexRecord.Pack]) throws(RemoteError) {
    guard !packs.isEmpty else { return }
    let name = IndexRecord.name(using: &time.random)
    try storage.putRecord(try IndexRecord(packs: packs).encoded(), as: name)
  }
}
