// All of a content in memory, where it is known to be small.

internal import MementoStore

extension SizedContent {
  /// All bytes, each chunk checked against its id. The caller has looked at `size`.
  func read(from store: Store) throws(StoreError) -> [UInt8] {
    try read(from: store, maximum: { _ in .max }).bytes
  }

  /// The same, with the bytes that packs hold for it: a chunk that occurs again counts once. `maximum`: how much may come of
  /// so much that is stored.
  func read(
    from store: Store, maximum: (_ stored: Int) -> Int
  ) throws(StoreError) -> (bytes: [UInt8], stored: Int) {
    var reader = ChunkListReader(content, size: size, in: store)
    var bytes: [UInt8] = []
    var stored = 0
    var seen: Set<ObjectID> = []
    while let piece = try reader.next() {
      guard let id = piece.id else { throw StoreError.damaged(file: "value", reason: "it has a hole") }
      let chunk = try store.read(id)
      guard UInt64(chunk.count) == piece.length else {
        throw StoreError.damaged(file: "value", reason: "chunk \(id.short) has another length than its list says")
      }
      if seen.insert(id).inserted, let place = try store.index.place(of: id) {
        stored += Int(place.block.storedLength) * chunk.count / max(Int(place.block.rawLength), 1) + 1
      }
      guard bytes.count + chunk.count <= maximum(stored) else {
        throw StoreError.damaged(file: "value", reason: "it repeats what is stored of it more often than it can")
      }
      bytes += chunk
    }
    return (bytes, stored)
  }
}
