// Divides new packs among indexes that are not too large.

/// Takes packs one after the other, and makes indexes of them.
package struct IndexDivision {
  private let limit: Int
  private var packs: [IndexRecord.Pack] = []
  private var size = 0

  /// `limit`: an index of several packs has so many bytes of tables at most.
  package init(limit: Int = IndexRecord.comfortable) {
    self.limit = limit
  }

  /// Adds a pack. Returns an index of those before it when they all would be too much for one.
  package mutating func add(_ pack: IndexRecord.Pack) -> IndexRecord? {
    let full = size + pack.contents.count > limit ? finish() : nil
    packs.append(pack)
    size += pack.contents.count
    return full
  }

  /// The last index; nil when there is none.
  package mutating func finish() -> IndexRecord? {
    if packs.isEmpty { return nil }
    defer { (packs, size) = ([], 0) }
    return IndexRecord(packs: packs)
  }
}
