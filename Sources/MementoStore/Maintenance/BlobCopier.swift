// Copies blobs from existing packs into new ones. One worker uses it.

struct BlobCopier: ~Copyable {
  private let store: Store
  private let leaving: Set<ObjectID>
  private let packs: PackWriter
  private var data: BlockWriter
  private var meta: MetaBlockWriter
  /// Versions that lie side by side, if there are any.
  private var versions: VersionCopier?

  /// `leaving`: packs that are going to be removed. Blobs that only they hold must be copied. Throws when the packs
  /// cannot be listed.
  init(_ store: Store, replacing leaving: Set<ObjectID>) throws(StoreError) {
    self.store = store
    self.leaving = leaving
    packs = try store.packWriter(ignoring: leaving)
    data = store.blockWriter(packs, .data)
    meta = store.metaBlockWriter(packs)
  }

  /// Returns true for a blob that no remaining pack holds, the first time that it is asked for.
  func claim(_ id: ObjectID) -> Bool {
    packs.claim(id)
  }

  /// Adds a blob that the caller has claimed.
  mutating func add(_ id: ObjectID, _ bytes: [UInt8], _ kind: BlockKind) throws(StoreError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
      let raw = UnsafeRawBufferPointer(bytes)
      switch kind {
      case .data: try data.add(id, raw)
      case .meta: try meta.add(id, raw)
      }
    }
  }

  /// Whether versions can stay side by side. Where they cannot be compressed so, they are copied as all else is.
  var keepsVersions: Bool { store.config.compression.ofVersions != nil }

  /// Same, for one of the versions that lie side by side, in their order. They stay so, in a pack of their own.
  mutating func add(version id: ObjectID, _ bytes: [UInt8], _ kind: BlockKind) throws(StoreError) {
    guard let compression = store.config.compression.ofVersions, bytes.count <= VersionBlocks.largestBlob(kind) else {
      return try add(id, bytes, kind)
    }
    if versions == nil { versions = VersionCopier(try store.packWriter(ignoring: leaving), compression) }
    try versions?.add(id, bytes, kind)
  }

  /// Adds a block as it is stored in another pack. The caller has checked all of its blobs.
  mutating func add(_ block: BlockRecord, stored: [UInt8], _ blobs: [BlobRecord]) throws(StoreError) {
    try stored.withUnsafeBufferPointer { (stored) throws(StoreError) in
      try packs.append(
        block.kind, block.codec, block.arrangement, rawLength: Int(block.rawLength), UnsafeRawBufferPointer(stored),
        blobs: blobs)
    }
  }

  /// Makes the new packs durable, reads them back from the medium and makes them visible. Returns their names. Throws,
  /// with no pack visible that is not checked, when the bytes read differ from those written. `replacing`: packs of which
  /// everything was copied, and that the caller is going to remove.
  mutating func finish(replacing: Set<ObjectID> = []) throws(StoreError) -> Set<ObjectID> {
    try data.flush()
    try meta.flush()
    guard let versions else { return try packs.finish(durably: true, readingBack: true, replacing: replacing) }
    let written = try packs.finish(durably: true, readingBack: true)
    // There is at least one, so the index hears of what goes.
    return written.union(try versions.finish(replacing: replacing))
  }

  /// Removes the unfinished packs.
  func discard() {
    packs.discard()
    versions?.discard()
  }
}
