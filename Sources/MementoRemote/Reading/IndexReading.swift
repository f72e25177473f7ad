// Which packs the indexes name.

package import MementoModel
package import MementoObjects
package import MementoTime

/// What an index says, without the tables of its packs.
package struct IndexOutline: Equatable, Sendable {
  package let packs: [ObjectID]
  package let replaces: [ObjectName]

  package init(packs: [ObjectID], replaces: [ObjectName]) {
    self.packs = packs
    self.replaces = replaces
  }

  package init(_ record: IndexRecord) { self.init(packs: record.packs.map(\.name), replaces: record.replaces) }
}

/// Keeps indexes that were read, so that each is read once.
package protocol IndexCache {
  /// Nil when the index is not known here.
  mutating func outline(of name: ObjectName) throws(RemoteError) -> IndexOutline?
  /// Takes an index that was read.
  mutating func keep(_ record: IndexRecord, as name: ObjectName) throws(RemoteError)
}

/// One look at the indexes of a remote.
package struct IndexReading: Sendable {
  package struct Listed: Sendable {
    package let name: ObjectName
    /// When it was put, by the clock of the storage.
    package let modified: Timestamp
    package let outline: IndexOutline
  }

  /// All indexes that were read. Those that others replace are not there, unless they were asked for.
  package let listed: [Listed]
  /// The names of those that count: no other index replaces them.
  package let current: Set<ObjectName>
  /// Indexes that are listed, and that another listed index replaces, with the time of the newest one that does.
  package let replaced: [ObjectName: Timestamp]
  /// Indexes that are damaged and that no other index replaces. Only where they were asked for.
  package let damaged: [ObjectName]
  /// What time it was by the clock of the storage when this look began.
  package let now: Timestamp
  /// The packs that the current indexes name.
  package let packs: Set<ObjectID>

  /// Throws when an index is damaged that no other one replaces.
  ///
  /// - Parameters:
  ///   - readsReplaced: reads also those indexes that others replace, as a collection does.
  ///   - toleratesDamage: reads what can be read, for a repair.
  package init(
    _ storage: any ObjectStorage, cache: inout some IndexCache, readsReplaced: Bool = false,
    toleratesDamage: Bool = false
  ) throws(RemoteError) {
    let listing = try ObjectListing(storage, IndexRecord.prefix)
    now = listing.now
    var listed: [Listed] = []
    var replaced: [ObjectName: Timestamp] = [:]
    var damaged: [(name: ObjectName, error: RemoteError)] = []
    // The newest first: what these replace need not be read.
    for object in listing.objects.sorted(by: { ($0.modified, $0.name) > ($1.modified, $1.name) }) {
      if replaced[object.name] != nil && !readsReplaced { continue }
      var outline = try cache.outline(of: object.name)
      if outline == nil {
        let found = try RecordFound.read { () throws(RemoteError) in
          try storage.record(object.name, listed: object.size).map { (bytes) throws(RemoteError) in
            try IndexRecord(bytes, of: object.name)
          }
        }
        switch found {
        case .record(let record):
          try cache.keep(record, as: object.name)
          outline = IndexOutline(record)
        // An index that is gone was replaced. Its blobs are in one that is listed, or nobody needs them.
        case .gone: continue
        case .damaged(let error): damaged.append((object.name, error))
        }
      }
      guard let outline else { continue }
      listed.append(Listed(name: object.name, modified: object.modified, outline: outline))
      for old in outline.replaces { replaced[old] = max(replaced[old] ?? object.modified, object.modified) }
    }
    damaged.removeAll { replaced[$0.name] != nil }
    if let first = damaged.first, !toleratesDamage { throw first.error }
    self.damaged = damaged.map(\.name)
    self.listed = listed
    self.replaced = replaced.filter { old in listing.objects.contains { $0.name == old.key } }
    current = Set(listed.map(\.name).filter { replaced[$0] == nil })
    packs = Set(listed.filter { replaced[$0.name] == nil }.flatMap(\.outline.packs))
  }
}
