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
  /// What time it was by the clock of the storage when this look began.
  package let now: Timestamp
  /// The packs that the current indexes name.
  package let packs: Set<ObjectID>

  /// `readsReplaced`: reads also those indexes that others replace, as a collection does.
  package init(
    _ storage: any ObjectStorage, cache: inout some IndexCache, readsReplaced: Bool = false
  ) throws(RemoteError) {
    let listing = try ObjectListing(storage, IndexRecord.prefix)
    now = listing.now
    var listed: [Listed] = []
    var replaced: [ObjectName: Timestamp] = [:]
    // The newest first: what these replace need not be read.
    for object in listing.objects.sorted(by: { ($0.modified, $0.name) > ($1.modified, $1.name) }) {
      if replaced[object.name] != nil && !readsReplaced { continue }
      var outline = try cache.outline(of: object.name)
      if outline == nil {
        // An index that is gone was replaced. Its blobs are in one that is listed, or nobody needs them.
        guard let bytes = try storage.record(object.name, listed: object.size) else { continue }
        let record = try IndexRecord(bytes, of: object.name)
        try cache.keep(record, as: object.name)
        outline = IndexOutline(record)
      }
      guard let outline else { continue }
      listed.append(Listed(name: object.name, modified: object.modified, outline: outline))
      for old in outline.replaces { replaced[old] = max(replaced[old] ?? object.modified, object.modified) }
    }
    self.listed = listed
    self.replaced = replaced.filter { old in listing.objects.contains { $0.name == old.key } }
    current = Set(listed.map(\.name).filter { replaced[$0] == nil })
    packs = Set(listed.filter { replaced[$0.name] == nil }.flatMap(\.outline.packs))
  }
}
