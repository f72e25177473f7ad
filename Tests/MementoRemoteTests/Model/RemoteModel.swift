// Pushers, deleters and collectors at one simulated storage, and what must hold whatever they do.

import MementoModel
import MementoObjects
import MementoTime
import TestSupport

@testable import MementoRemote

/// Indexes that were read. A blob is its id alone, and the table of a pack the ids of its blobs.
struct MemoryIndexes: IndexCache {
  private(set) var records: [ObjectName: IndexRecord] = [:]

  func outline(of name: ObjectName) -> IndexOutline? { records[name].map { IndexOutline($0) } }
  mutating func keep(_ record: IndexRecord, as name: ObjectName) { records[name] = record }

  /// The packs that have a blob by some indexes.
  func holders(of blob: UInt8, in names: Set<ObjectName>) -> [ObjectID] {
    names.compactMap { records[$0] }.flatMap(\.packs).filter { $0.contents.contains(blob) }.map(\.name)
  }
}

/// One schedule. A snapshot is a set of blobs out of 16: its id is the set.
final class RemoteModel {
  let time: VirtualTime
  let bucket: SimulatedBucket
  let conditions: Conditions
  private var successes: [(dot: Dot, name: RefName, snapshot: ObjectID)] = []
  private var replaced: Set<Dot> = []
  private(set) var counts: [String: Int] = [:]

  static let names = ["a", "b", "c"].compactMap { RefName($0) }

  init(seed: UInt64, _ conditions: Conditions) {
    time = VirtualTime(seed: seed)
    self.conditions = conditions
    bucket = SimulatedBucket(time, conditions)
  }

  static func blobs(_ snapshot: ObjectID) -> [UInt8] { (0..<16).filter { snapshot.words.0 >> UInt64($0) & 1 == 1 } }

  func count(_ what: String) { counts[what, default: 0] += 1 }

  /// Adds actors and runs them to their ends.
  func run(pushers: Int = 3, collectors: Int = 2, deleters: Int = 1, rounds: Int = 3) {
    for index in 0..<pushers {
      let user = ModelUser(model: self, host: "host\(index)")
      time.add(after: time.number(0...30_000), user.step(rounds))
    }
    for _ in 0..<collectors { time.add(after: time.number(0...30_000), collection(rounds * 2)) }
    for index in 0..<deleters {
      time.add(after: time.number(0...60_000), deletion(rounds, WriterID(using: &time.random), index))
    }
    time.run()
  }

  private func deletion(_ rounds: Int, _ writer: WriterID, _ index: Int) -> VirtualTime.AnyStep {
    VirtualTime.AnyStep { [self] in
      do { try delete(writer, index) } catch { count("deletion failed") }
      return rounds == 1 ? nil : (time.number(0...40_000), deletion(rounds - 1, writer, index))
    }
  }

  /// A look, and after a while what follows from it.
  private func collection(_ rounds: Int) -> VirtualTime.AnyStep {
    VirtualTime.AnyStep { [self] in
      let next: (after: Int64, next: VirtualTime.AnyStep)? =
        rounds == 1 ? nil : (time.number(0...25_000), collection(rounds - 1))
      do {
        let planned = try plan(
          SimulatedStorage(bucket: bucket), merges: time.happens(30), threshold: Int(time.number(1...100)))
        let wait = time.happens(30) ? time.number(0...conditions.grace * 3) : 0
        return (
          wait,
          VirtualTime.AnyStep { [self] in
            do { try execute(planned, SimulatedStorage(bucket: bucket)) } catch { count("collection failed") }
            return next
          }
        )
      } catch {
        count("collection failed")
        return next
      }
    }
  }

  func willReplace(_ change: TableChange) {
    replaced.formUnion(change.moves.values.flatMap(\.replaces))
    replaced.formUnion(change.removals.values.joined())
  }

  func succeeded(_ change: TableChange, _ dot: Dot) {
    for (name, move) in change.moves { successes.append((dot, name, move.snapshot)) }
  }

  private func delete(_ writer: WriterID, _ index: Int) throws(RemoteError) {
    let storage = SimulatedStorage(bucket: bucket)
    let reading = try RefsReading.read(storage)
    let shown = ShownNames(reading.table)
    let change = TableChange(deleting: shown.map(\.text).filter { _ in time.happens(40) }, of: shown)
    guard !change.isEmpty else { return }
    willReplace(change)
    var table = reading.table
    _ = try RefsCommit(storage, writer: writer, host: "deleter\(index)").commit(change, upon: &table, now: reading.now)
    count("deleted")
  }

  private struct Planned {
    let plan: CollectionPlan
    let look: CollectionLook
    let cache: MemoryIndexes
    /// The blobs for which each pack is needed, of those that nobody has marked.
    let live: [ObjectID: Set<UInt8>]
  }

  /// `threshold`: packs of which at least so many percent of the blobs are not needed are rewritten.
  private func plan(
    _ storage: SimulatedStorage, merges: Bool = false, threshold: Int = 50
  ) throws(RemoteError) -> Planned {
    var cache = MemoryIndexes()
    let look = try CollectionLook(storage, cache: &cache)
    var needed: Set<ObjectID> = []
    var live: [ObjectID: Set<UInt8>] = [:]
    for blob in Set(look.refs.table.roots.flatMap { RemoteModel.blobs($0) }) {
      let holders = cache.holders(of: blob, in: look.indexes.current)
      guard !holders.isEmpty else { throw .damaged(nil, reason: "blob \(blob) is missing") }
      let chosen = look.needed(of: holders)
      needed.formUnion(chosen)
      if chosen.count == 1, !look.marks.isMarked(chosen[0]) { live[chosen[0], default: []].insert(blob) }
    }
    var sparse: Set<ObjectID> = []
    for pack in look.indexes.current.compactMap({ cache.records[$0] }).flatMap(\.packs) {
      guard let part = live[pack.name] else { continue }
      if (pack.contents.count - part.count) * 100 >= max(threshold, 1) * pack.contents.count {
        sparse.insert(pack.name)
      }
    }
    let plan = CollectionPlan(
      look, grace: conditions.grace, needed: needed, sparse: sparse, merging: merges ? look.indexes.current : [])
    return Planned(plan: plan, look: look, cache: cache, live: live)
  }

  /// Moves what is needed of packs into one new one, as a collection does.
  private func rewrite(_ planned: Planned, _ storage: SimulatedStorage, _ collector: Collector) throws(RemoteError) {
    let old = planned.plan.rewrite
    if old.isEmpty { return }
    var random = SplitMix64(seed: time.random.next())
    let begun = try collector.beginMoving()
    var blobs: Set<UInt8> = []
    for pack in old {
      guard let bytes = try storage.record(PackObject.name(pack)) else {
        throw .damaged(nil, reason: "a pack is gone that was to be rewritten")
      }
      blobs.formUnion(Set(bytes).intersection(planned.live[pack] ?? []))
    }
    if !storage.isPerfect, time.happens(20) { time.travel(atMost: conditions.grace * 2) }
    let name = PackObject.random(using: &random)
    let bytes = blobs.sorted()
    try storage.putRecord(bytes, as: PackObject.name(name))
    if !storage.isPerfect, time.happens(20) { time.travel(atMost: conditions.grace * 2) }
    let new = IndexRecord.Pack(name: name, id: name, size: UInt64(bytes.count), contents: bytes)
    let isDone = try collector.finishMoving(old, into: [new], since: begun, using: &random)
    count(isDone ? "packs were rewritten" : "rewriting took too long")
  }

  private func execute(_ planned: Planned, _ storage: SimulatedStorage) throws(RemoteError) {
    var random = SplitMix64(seed: time.random.next())
    // So few that many replacements make several indexes, and many collections several marks.
    let collector = Collector(storage, grace: conditions.grace, largestIndex: 1000, largestMark: 2)
    let isDone = try collector.execute(
      planned.plan, planned.look, records: { planned.cache.records[$0] ?? IndexRecord(packs: []) }, using: &random)
    count(isDone ? "collected" : "collection was too old")
    if !planned.plan.remove.isEmpty && isDone { count("packs were removed") }
    if !planned.plan.kept.isEmpty { count("marked packs were needed") }
    try rewrite(planned, storage, collector)
  }

  /// What does not hold, after everybody has ended and listings show everything.
  func faults() throws -> [String] {
    time.pass(conditions.lag + 1)
    bucket.isCalm = true
    let storage = SimulatedStorage(bucket: bucket, isPerfect: true)
    var faults: [String] = []
    let reading = try RefsReading.read(storage)
    // Every order of all records that were ever put gives the same names, and so do those that are left.
    for _ in 0..<3 {
      let all = bucket.history.shuffled(using: &time.random).reduce(into: NameTable()) { $0.merge($1.table) }
      if all != reading.table || ShownNames(all) != ShownNames(reading.table) { faults.append("readers differ") }
    }
    for success in successes where !replaced.contains(success.dot) {
      let isThere = reading.table.names[success.name].contains {
        $0.dot == success.dot && $0.snapshot == success.snapshot
      }
      if !isThere { faults.append("the push \(success.dot) is lost") }
    }
    var cache = MemoryIndexes()
    let indexes = try IndexReading(storage, cache: &cache)
    let there = Set(bucket.names(PackObject.prefix).compactMap { PackObject.pack($0) })
    for snapshot in reading.table.roots {
      for blob in RemoteModel.blobs(snapshot) where there.isDisjoint(with: cache.holders(of: blob, in: indexes.current))
      {
        faults.append("blob \(blob) is lost")
      }
    }
    return faults
  }

  /// Collects until there is nothing left to do. Returns what should not be there then.
  func remainsAfterCollections() throws -> [String] {
    let storage = SimulatedStorage(bucket: bucket, isPerfect: true)
    for _ in 0..<10 {
      time.pass(conditions.grace + 1)
      try execute(try plan(storage), storage)
    }
    var cache = MemoryIndexes()
    let look = try CollectionLook(storage, cache: &cache)
    let last = try plan(storage)
    let packs = bucket.names(PackObject.prefix).compactMap { PackObject.pack($0) }
    let needed = Set(look.refs.table.roots.flatMap { RemoteModel.blobs($0) })
    let useless = packs.filter { pack in
      !look.marks.isMarked(pack) && !look.indexes.listed.contains { $0.outline.packs.contains(pack) }
    }
    // Needed, unmarked, and more than half of it for nothing: that must not be left.
    let sparse = last.plan.rewrite.map { "pack \($0.short) is not rewritten" }
    var remains = sparse + useless.map { "pack \($0.short) is in no index" }
    if needed.isEmpty && !packs.isEmpty { remains.append("\(packs.count) packs are left, and there is no name") }
    if bucket.names(MarkRecord.prefix).count > 2 + look.marks.packs.count { remains.append("marks are left") }
    if !look.indexes.replaced.isEmpty { remains.append("replaced indexes are left") }
    return remains
  }
}
