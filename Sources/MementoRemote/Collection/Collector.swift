// Executes a collection: marks first, removal last.

internal import MementoModel
package import MementoObjects
internal import MementoTime

/// Executes the plan of a collection. It may be killed anywhere: what is left to do, the next collection does.
package struct Collector {
  private let storage: any ObjectStorage
  private let grace: Int64

  /// `grace`: how long a marked pack stays, in seconds.
  package init(_ storage: any ObjectStorage, grace: Int64) {
    self.storage = storage
    self.grace = grace
  }

  /// Marks, replaces indexes, and removes.
  ///
  /// - Parameters:
  ///   - look: the look that the plan was made of.
  ///   - records: reads an index that is replaced.
  ///   - generator: makes the names of new objects.
  /// - Returns: false when the look was too old to replace indexes or to remove anything: nothing of that was done, and
  ///   the collection should be repeated.
  package func execute(
    _ plan: CollectionPlan, _ look: CollectionLook, records: (ObjectName) throws(RemoteError) -> IndexRecord,
    using generator: inout some RandomNumberGenerator
  ) throws(RemoteError) -> Bool {
    if !plan.mark.isEmpty || !plan.close.isEmpty {
      let mark = MarkRecord(packs: plan.mark, closes: plan.close)
      try storage.putRecord(mark.encoded(), as: MarkRecord.name(using: &generator))
    }
    guard !plan.replace.isEmpty || !plan.remove.isEmpty || !plan.removeRecords.isEmpty else { return true }
    if !plan.replace.isEmpty {
      var replaced: [IndexRecord] = []
      for name in plan.replace { replaced.append(try records(name)) }
      let bytes = try plan.index(replacing: replaced).encoded()
      // An index that names packs from an old look could outlive their marks.
      guard try isFresh(look) else { return false }
      try storage.putRecord(bytes, as: IndexRecord.name(using: &generator))
    }
    for pack in plan.remove { try storage.removeRecord(PackObject.name(pack)) }
    for name in plan.removeRecords { try storage.removeRecord(name) }
    return true
  }

  /// Whether less than half of the grace period has passed since a look began.
  private func isFresh(_ look: CollectionLook) throws(RemoteError) -> Bool {
    let now = try ObjectListing(storage, MarkRecord.prefix).now
    return now <= look.refs.now.adding(seconds: grace / 2)
  }
}
