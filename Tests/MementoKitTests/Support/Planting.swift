// Stores blobs that no save would write, under their correct ids.

import MementoStore
import MementoSystem
import TestSupport

@testable import MementoKit

extension FileMetadata {
  static let sample = FileMetadata(
    permissions: 0o644, user: Host.effectiveUser, group: Host.effectiveGroup,
    modified: Timestamp(seconds: 1_000_000_000, nanoseconds: 5))
}

extension TreeEntry {
  static func file(_ name: String, _ bytes: [UInt8]) -> TreeEntry {
    TreeEntry(
      name: name.bytes, metadata: .sample,
      content: .file(
        size: UInt64(bytes.count), bytes.isEmpty ? .empty : FileContent(level: 1, id: ObjectID(hashing: bytes))))
  }

  static func folder(_ name: String, _ tree: ObjectID) -> TreeEntry {
    var metadata = FileMetadata.sample
    metadata.permissions = 0o755
    return TreeEntry(name: name.bytes, metadata: metadata, content: .directory(tree))
  }

  var encoded: [UInt8] {
    var out = ByteWriter()
    TreeEntryCodec.encode(self, into: &out)
    return out.bytes
  }
}

extension RepositoryFixture {
  /// Stores blobs and returns their ids.
  @discardableResult
  func plant(meta: [[UInt8]] = [], data: [[UInt8]] = []) throws -> [ObjectID] {
    let packs = try repository.store.packWriter()
    let writer = ObjectWriter(.packs(packs), store: repository.store)
    let ids = try meta.map { try writer.storeMeta($0) }
    let more = data.map { ObjectID(hashing: $0) }
    for (id, bytes) in zip(more, data) { try bytes.withUnsafeBytes { try writer.storeData(id, $0) } }
    try writer.flush()
    try packs.finish()
    return ids + more
  }

  /// Stores a record and gives it a name.
  func plant(_ record: SnapshotRecord, as name: String) throws {
    let id = try plant(meta: [record.encoded()])[0]
    _ = try repository.store.refs.update(waiting: 10) { $0[name] = id }
  }

  /// Makes a named snapshot of a tree, which need not exist in the store.
  func plant(tree: ObjectID, as name: String, _ change: (inout SnapshotRecord) -> Void = { _ in }) throws {
    var root = FileMetadata.sample
    root.permissions = 0o755
    var record = SnapshotRecord(
      body: .tree(tree, root), files: 1, bytes: 1, parent: nil, replaces: nil, time: Clock.now(), user: "mallory",
      host: "elsewhere", name: name, message: nil, changes: ChangeCounts(), isComplete: true)
    change(&record)
    try plant(record, as: name)
  }

  /// The bytes of a tree that has one piece.
  static func tree(_ entries: [[UInt8]], count: UInt64? = nil, level: UInt8 = 0) -> [UInt8] {
    var out = ByteWriter()
    out.u8(TreeFormat.tag)
    out.u8(level)
    out.varint(count ?? UInt64(entries.count))
    for entry in entries { out.append(entry) }
    return out.bytes
  }
}
