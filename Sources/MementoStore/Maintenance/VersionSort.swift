// Puts versions of files and folders side by side, a bounded amount at a time, for a collection that is spread over many
// saves. It only writes packs. Those that held the versions before are removed by `PieceSweep`, when all that is needed of
// them is elsewhere.

internal import MementoSystem

/// Copies versions that only older snapshots need into blocks of their own.
package struct VersionSort {
  private struct Version {
    let id: ObjectID
    let place: VersionPlace
    let location: Location
  }

  private let store: Store

  package init(_ store: Store) {
    self.store = store
  }

  /// The packs of these whose versions are sorted next: the smallest, of so many bytes if no single one is larger.
  package func part(of packs: [ObjectID], limit: UInt64) -> [ObjectID] {
    let wanted = Set(packs)
    var part: [ObjectID] = []
    var size: UInt64 = 0
    for pack in store.index.smallPacks(below: .max) where wanted.contains(pack.id) {
      if !part.isEmpty, size + pack.size > limit { break }
      part.append(pack.id)
      size += pack.size
    }
    // The index may have forgotten some.
    return part.isEmpty ? packs : part
  }

  /// Writes blocks with versions of these packs, in the order of their paths. What earlier calls have written is not
  /// written again. `place`: where a blob belongs; nil when it is not needed. `trusted`: packs that earlier calls have
  /// written and read back. `mayGoOn`: asked before each block but the first. Returns the new packs, and whether all
  /// versions are in order now. They are durable and were read back.
  package func run(
    _ packs: [ObjectID], place: (ObjectID) -> VersionPlace?, trusting trusted: Set<ObjectID>, while mayGoOn: () -> Bool,
    holding lock: borrowing StoreLock<RemovesPacks>
  ) throws(StoreError) -> (written: Set<ObjectID>, isAll: Bool) {
    guard let compression = store.config.compression.ofVersions else { return ([], true) }
    try lock.check()
    let versions = try versions(of: packs, place, trusted)
    var blocks: [(kind: BlockKind, versions: ArraySlice<Version>)] = []
    for kind in BlockKind.allCases {
      let some = versions.filter { $0.location.block.kind == kind }.sorted { $0.place < $1.place }
      blocks += VersionBlocks.cut(
        some.indices, limit: VersionBlocks.pieceLimit(kind), length: { Int(some[$0].location.length) },
        key: { some[$0].place.key }
      ).map { (kind, some[$0]) }
    }
    if blocks.isEmpty { return ([], true) }
    let writer = try store.packWriter(ignoring: Set(packs))
    do throws(StoreError) {
      let done = try write(blocks, compression, writer, while: mayGoOn)
      return (try writer.finish(durably: true, readingBack: true), done == blocks.count)
    } catch {
      writer.discard()
      throw error
    }
  }

  private func versions(
    of packs: [ObjectID], _ place: (ObjectID) -> VersionPlace?, _ trusted: Set<ObjectID>
  ) throws(StoreError) -> [Version] {
    var seen = BlobSet()
    var result: [Version] = []
    let sweep = PieceSweep(store)
    for pack in packs {
      for (id, location) in store.index.placements(of: try store.index.contents(of: pack)) {
        guard Int(location.length) <= VersionBlocks.largestInPiece(location.block.kind), let place = place(id),
          place.key != .none, seen.insert(id), try !sweep.isElsewhere(id, trusted)
        else { continue }
        result.append(Version(id: id, place: place, location: location))
      }
    }
    return result
  }

  /// Returns how many blocks were written.
  private func write(
    _ blocks: [(kind: BlockKind, versions: ArraySlice<Version>)], _ compression: Compression, _ packs: PackWriter,
    while mayGoOn: () -> Bool
  ) throws(StoreError) -> Int {
    let writer = VersionBlockWriter(packs, compression)
    var reader = store.blobReader()
    for (number, block) in blocks.enumerated() {
      if number > 0, !mayGoOn() { return number }
      try write(block.versions, block.kind, writer, &reader)
    }
    return blocks.count
  }

  /// Reads the blobs in the order in which they lie, so that nothing is unpacked twice.
  private func write(
    _ versions: ArraySlice<Version>, _ kind: BlockKind, _ writer: borrowing VersionBlockWriter,
    _ reader: inout BlobReader
  ) throws(StoreError) {
    var offsets: [Int] = []
    var size = 0
    for version in versions {
      offsets.append(size)
      size += Int(version.location.length)
    }
    let reading = versions.indices.sorted { versions[$0].location.sortKey < versions[$1].location.sortKey }
    for (number, index) in reading.enumerated() {
      let version = versions[index]
      let bytes = try read(version, upTo: end(of: reading[number...], in: versions), &reader)
      let offset = offsets[index - versions.startIndex]
      UnsafeMutableRawBufferPointer(rebasing: writer.block[offset..<offset + bytes.count]).copyBytes(from: bytes)
    }
    let records = versions.map { BlobRecord(id: $0.id, length: $0.location.length) }
    try writer.write(kind, records, size: size)
  }

  /// How much of the block of the first of these is going to be read.
  private func end(of reading: ArraySlice<Int>, in versions: ArraySlice<Version>) -> Int {
    guard let first = reading.first else { return 0 }
    let block = (versions[first].location.pack, versions[first].location.block.offset)
    var end = 0
    for index in reading {
      let location = versions[index].location
      guard (location.pack, location.block.offset) == block else { break }
      end = Int(location.offset) + Int(location.length)
    }
    return end
  }

  /// `read` checks the blob against its id. If it is damaged everywhere, nothing is written and nothing is lost.
  private func read(_ version: Version, upTo end: Int, _ reader: inout BlobReader) throws(StoreError) -> [UInt8] {
    do throws(StoreError) {
      return try reader.withBlob(version.id, at: version.location, end: end) { Array($0) }.get()
    } catch {
      // Another pack may hold it undamaged.
      return try reader.read(version.id)
    }
  }
}
