// New packs for blobs that are in packs already, and lie better elsewhere. Used by one worker.

struct BlobCopier: ~Copyable {
  private let packs: PackWriter
  private var data: BlockWriter
  private var meta: BlockWriter

  /// `leaving`: packs that are about to go, so what only they hold is copied.
  init(_ store: Store, replacing leaving: Set<ObjectID>) throws(StoreError) {
    packs = try store.packWriter(ignoring: leaving)
    data = store.blockWriter(packs, .data)
    meta = store.blockWriter(packs, .meta)
  }

  /// True once, when no pack that stays holds the blob.
  func claim(_ id: ObjectID) -> Bool {
    packs.claim(id)
  }

  mutating func add(_ id: ObjectID, _ bytes: [UInt8], _ kind: BlockKind) throws(StoreError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
      let raw = UnsafeRawBufferPointer(bytes)
      switch kind {
      case .data: try data.add(id, raw)
      case .meta: try meta.add(id, raw)
      }
    }
  }

  /// Makes all of it durable, reads it back from the medium, and makes it visible; returns the names of the packs. Throws,
  /// with nothing visible, when what comes back is not what was written.
  mutating func finish() throws(StoreError) -> Set<ObjectID> {
    try data.flush()
    try meta.flush()
    return try packs.finish(forGood: true, readingBack: true)
  }

  /// Leaves nothing behind.
  func discard() {
    packs.discard()
  }
}
