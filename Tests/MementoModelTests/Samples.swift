// Entries, and blobs that lie in memory.

import MementoInode
import MementoModel
import MementoTime
import Synchronization
import TestSupport

extension FileMetadata {
  static let sample = FileMetadata(
    permissions: 0o644, user: 1000, group: 100, modified: Timestamp(seconds: 1_000_000_000, nanoseconds: 5))
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

enum LooseFailure: BlobFailure, Equatable {
  case damaged(file: String, reason: String)
  case missing(ObjectID)
  case cancelled
}

/// Blobs in memory, which remember how often each was read.
final class LooseBlobs: BlobSource, BlobSink {
  private let blobs = Mutex<[ObjectID: [UInt8]]>([:])
  private let reads = Mutex<[ObjectID: Int]>([:])

  var readCounts: [ObjectID: Int] { reads.withLock { $0 } }

  func readMeta(_ id: ObjectID) throws(LooseFailure) -> [UInt8] {
    reads.withLock { $0[id, default: 0] += 1 }
    guard let bytes = blobs.withLock({ $0[id] }) else { throw .missing(id) }
    return bytes
  }

  func storeMeta(_ bytes: [UInt8]) -> ObjectID {
    let id = ObjectID(hashing: bytes)
    blobs.withLock { $0[id] = bytes }
    return id
  }

  /// The tree of these entries, which are sorted by name.
  func tree(_ entries: [TreeEntry]) throws -> ObjectID {
    var builder = TreeBuilder()
    for entry in entries {
      try entry.name.withUnsafeBufferPointer { name in
        try entry.encoded.withUnsafeBytes { try builder.append(name: name, encoded: $0, to: self) }
      }
    }
    return try builder.finish(self)
  }
}
