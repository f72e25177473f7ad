// Executes a collection: marks first, removal last.

package import MementoModel
package import MementoObjects
package import MementoTime

/// Executes the plan of a collection. It may be killed anywhere: what is left to do, the next collection does.
package struct Collector {
  private let storage: any ObjectStorage
  private let grace: Int64
  private let largestIndex: Int
  private let largestMark: Int

  /// - Parameters:
  ///   - grace: how long a marked pack stays, in seconds.
  ///   - largestIndex: about how many bytes of tables an index has that replaces several.
  ///   - largestMark: how many packs one record marks.
  package init(
    _ storage: any ObjectStorage, grace: Int64, largestIndex: Int = IndexRecord.comfortable,
    largestMark: Int = MarkRecord.comfortable
  ) {
    self.storage = storage
    self.grace = grace
    self.largestIndex = largestIndex
    self.largestMark = largestMark
  }

  /// Marks, replaces indexes, and removes.
  ///
  /// - Parameters:
  ///   - look: the look that the plan was made of.
  ///   - records: reads an index that is replaced. Only as many are kept as one new index has.
  ///   - generator: makes the names of new objects.
  /// - Returns: false when the look was too old to replace all indexes: nothing was removed, and the collection should be
  ///   repeated.
  package func execute(
    _ plan: CollectionPlan, _ look: CollectionLook, records: (ObjectName) throws(RemoteError) -> IndexRecord,
    using generator: inout some RandomNumberGenerator
  ) throws(RemoteError) -> Bool {
    try mark(plan.mark, closing: plan.close, using: &generator)
    guard !plan.replace.isEmpty || !plan.remove.isEmpty || !plan.removeRecords.isEmpty else { return true }
    var replacement = IndexReplacement(dropping: plan.dropped, limit: largestIndex)
    for name in plan.replace {
      guard let full = replacement.add(try records(name), named: name) else { continue }
      guard try put(full, look, using: &generator) else { return false }
    }
    if let last = replacement.finish() {
      guard try put(last, look, using: &generator) else { return false }
    }
    for pack in plan.remove { try storage.removeRecord(PackObject.name(pack)) }
    for name in plan.removeRecords { try storage.removeRecord(name) }
    return true
  }

  /// Marks packs, and closes marks. A record of too many packs could not be read by anybody.
  private func mark(
    _ packs: [ObjectID], closing closed: [ObjectName], using generator: inout some RandomNumberGenerator
  ) throws(RemoteError) {
    var start = 0
    repeat {
      let end = min(start + largestMark, packs.count)
      let record = MarkRecord(packs: Array(packs[start..<end]), closes: start == 0 ? closed : [])
      if record.packs.isEmpty && record.closes.isEmpty { return }
      try storage.putRecord(record.encoded(), as: MarkRecord.name(using: &generator))
      start = end
    } while start < packs.count
  }

  /// Puts an index that replaces others. False when the look is too old: an index that names packs from an old look could
  /// outlive their marks.
  private func put(
    _ index: IndexRecord, _ look: CollectionLook, using generator: inout some RandomNumberGenerator
  ) throws(RemoteError) -> Bool {
    let bytes = try index.encoded()
    guard try isFresh(look) else { return false }
    try storage.putRecord(bytes, as: IndexRecord.name(using: &generator))
    return true
  }

  /// Whether less than half of the grace period has passed since a look began.
  private func isFresh(_ look: CollectionLook) throws(RemoteError) -> Bool {
    let now = try ObjectListing(storage, MarkRecord.prefix).now
    return now <= look.refs.now.adding(seconds: grace / 2)
  }

  // MARK: Moving what is needed of packs

  /// The time by the clock of the storage, right before the first new pack is put.
  package func beginMoving() throws(RemoteError) -> Timestamp { try ObjectListing(storage, MarkRecord.prefix).now }

  /// What is needed of `old` is in new packs now, which no index names yet. Puts an index of them, and then marks the old
  /// ones. These stay readable, and a later collection removes them. Killed between the two, it has made copies.
  ///
  /// - Parameters:
  ///   - new: the new packs, which were put since `begun`.
  ///   - begun: what `beginMoving` has said.
  /// - Returns: false when too much time has passed since then: other collections may have taken the new packs for those of
  ///   a push that died. Nothing was done then.
  package func finishMoving(
    _ old: [ObjectID], into new: [IndexRecord.Pack], since begun: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws(RemoteError) -> Bool {
    var records: [IndexRecord] = []
    var division = IndexDivision(limit: largestIndex)
    for pack in new { if let full = division.add(pack) { records.append(full) } }
    if let last = division.finish() { records.append(last) }
    for record in records {
      let bytes = try record.encoded()
      guard try beginMoving() <= begun.adding(seconds: grace / 2) else { return false }
      try storage.putRecord(bytes, as: IndexRecord.name(using: &generator))
    }
    try mark(old, closing: [], using: &generator)
    return true
  }
}
