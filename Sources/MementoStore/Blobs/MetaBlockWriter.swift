// Gathers the trees, lists and snapshot records that are copied from pack to pack.

/// Puts snapshot records into blocks of their own. Whoever lists the history reads all records and few trees; where each record
/// lies beside the trees of its snapshot, that unpacks all of these, too. One worker uses it.
struct MetaBlockWriter: ~Copyable {
  private var trees: BlockWriter
  private var records: BlockWriter

  /// `trees`, `records`: writers of blocks of this kind, into the same packs.
  init(trees: consuming BlockWriter, records: consuming BlockWriter) {
    self.trees = trees
    self.records = records
  }

  /// Adds a blob that the caller has claimed. Throws what `BlockWriter.add` throws.
  mutating func add(_ id: ObjectID, _ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    // A list that begins like a record is in no wrong place there.
    if bytes.starts(with: SnapshotRecord.start.utf8) { try records.add(id, bytes) } else { try trees.add(id, bytes) }
  }

  /// Writes what the blocks hold so far.
  mutating func flush() throws(StoreError) {
    try trees.flush()
    try records.flush()
  }
}
