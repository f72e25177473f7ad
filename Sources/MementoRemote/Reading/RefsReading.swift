// The names of a remote: the newest refs record of each writer, merged.

package import MementoObjects
package import MementoTime

/// One look at the refs records of a remote.
package struct RefsReading: Sendable {
  /// A record in the listing.
  package struct Listed: Sendable {
    package let dot: Dot
    package let modified: Timestamp
    /// What its writer had seen. Nil when the record was not read: it was seen before, or its writer has a newer one.
    package let seen: VersionVector?
  }

  /// All that is known: what was known before, and all records that were read.
  package let table: NameTable
  /// What time it was by the clock of the storage when this look began.
  package let now: Timestamp
  package let listed: [Listed]
  /// Records that together have seen all of `table`. The next look needs no others to know that nothing was lost.
  package let heads: [Dot]
  /// Records that were seen before and that the remote does not have, nor any record made upon them. Not empty: the
  /// listing lags, or somebody has rolled the remote back.
  package let missing: [Dot]
  /// Records that are damaged, and of which nothing is lost: all that they say is known. Each is the newest one of its
  /// writer, and was read. Those that no other record has seen are only known to who has read them before.
  package let damaged: [(dot: Dot, isReplaced: Bool)]

  /// Reads what is new.
  ///
  /// - Parameters:
  ///   - known: what was known before; empty for the first look.
  ///   - heads: the heads of the look that `known` is from.
  ///   - readsAll: whether records that were seen before are read, too, as a collection does.
  package static func read(
    _ storage: any ObjectStorage, known: NameTable = NameTable(), heads: [Dot] = [], readsAll: Bool = false
  ) throws(RemoteError) -> RefsReading {
    // A record that was listed may be gone, since a newer one has replaced it. Then a newer listing has that one.
    for _ in 0..<5 {
      let listing = try ObjectListing(storage, RefsRecord.prefix)
      if let reading = try read(storage, listing, known, heads, readsAll) {
        if reading.missing.isEmpty || readsAll { return reading }
        if let all = try read(storage, listing, known, heads, true) { return all }
      }
    }
    throw .unsettled
  }

  /// Nil when a record is gone that was listed.
  private static func read(
    _ storage: any ObjectStorage, _ listing: ObjectListing, _ known: NameTable, _ heads: [Dot], _ readsAll: Bool
  ) throws(RemoteError) -> RefsReading? {
    let found = listing.objects.compactMap { object in RefsRecord.dot(object.name).map { ($0, object) } }
    guard found.count <= 64 * TableCodec.mostWriters else { throw .tooMuch("the remote has too many refs records") }
    let newest = VersionVector(found.map(\.0))
    var table = known
    var seen = VersionVector()
    var vectors: [Dot: VersionVector] = [:]
    var unreadable: [(dot: Dot, error: RemoteError)] = []
    for (dot, object) in found where newest[dot.writer] == dot.number && (readsAll || !known.version.contains(dot)) {
      let record = try RecordFound.read { () throws(RemoteError) in
        try storage.record(object.name, listed: object.size).map { (bytes) throws(RemoteError) in
          try RefsRecord(bytes, of: object.name)
        }
      }
      switch record {
      case .gone: return nil
      case .damaged(let error): unreadable.append((dot, error))
      case .record(let record):
        table.merge(record.table)
        seen.merge(record.table.version)
        vectors[dot] = record.table.version
      }
    }
    var damaged: [(dot: Dot, isReplaced: Bool)] = []
    for (dot, error) in unreadable {
      // Who has seen a record has all that it says, or what came in its place.
      guard seen.contains(dot) || known.version.contains(dot) else { throw error }
      damaged.append((dot, seen.contains(dot)))
    }
    for (dot, _) in damaged { seen.see(dot) }
    let covered = VersionVector(found.map(\.0).filter { vectors[$0] != nil || heads.contains($0) }).merged(with: seen)
    var missing = heads.filter { !covered.contains($0) && newest[$0.writer] < $0.number }
    if readsAll { missing = known.version.missing(in: seen) }
    let candidates = Set(vectors.keys).union(heads.filter { !missing.contains($0) && newest[$0.writer] == $0.number })
    let next = candidates.filter { head in !vectors.contains { $0.key != head && $0.value.contains(head) } }
    return RefsReading(
      table: table, now: listing.now,
      listed: found.map { Listed(dot: $0.0, modified: $0.1.modified, seen: vectors[$0.0]) },
      heads: next.sorted(), missing: missing, damaged: damaged)
  }

  /// Whether another record that was read has seen all that this one says.
  package func isReplaced(_ dot: Dot) -> Bool { listed.contains { $0.dot != dot && $0.seen?.contains(dot) == true } }

  /// Records that nobody needs: another record has seen them, and every listing has had it for `grace` seconds.
  package func superseded(grace: Int64) -> [Dot] {
    let settled = listed.filter { $0.seen != nil && $0.modified.adding(seconds: grace) <= now }
    return listed.map(\.dot).filter { dot in
      settled.contains { $0.dot != dot && $0.seen?.contains(dot) == true }
    }
  }
}

extension VersionVector {
  func merged(with other: VersionVector) -> VersionVector {
    var result = self
    result.merge(other)
    return result
  }
}

extension RefsMark {
  /// Remembers what a look has found.
  package mutating func remember(_ reading: RefsReading) {
    table = reading.table
    heads = reading.heads
  }
}
