// Content with its length, and all of it in memory, where it is known to be small.

internal import MementoStore

/// Content with its length, for lists that may be long.
struct SizedContent: Equatable, Sendable {
  var size: UInt64
  var content: FileContent
}

extension SizedContent {
  /// All bytes, each chunk checked against its id. The caller has looked at `size`.
  func read(from store: Store) throws(StoreError) -> [UInt8] {
    var reader = ChunkListReader(content, size: size, in: store)
    var bytes: [UInt8] = []
    while let piece = try reader.next() {
      guard let id = piece.id else { throw StoreError.damaged(file: "value", reason: "it has a hole") }
      let chunk = try store.read(id)
      guard UInt64(chunk.count) == piece.length else {
        throw StoreError.damaged(file: "value", reason: "chunk \(id.short) has another length than its list says")
      }
      bytes += chunk
    }
    return bytes
  }
}
