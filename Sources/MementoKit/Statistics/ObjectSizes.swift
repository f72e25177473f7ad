// How many bytes each object has, and how many of a pack it takes.

internal import MementoStore

struct ObjectSizes {
  private var raw = ContiguousArray<UInt32>()
  private var stored = ContiguousArray<UInt32>()
  /// Objects that no pack has.
  private(set) var missing = 0

  init(_ graph: ObjectGraph, _ index: Index) throws(StoreError) {
    raw.reserveCapacity(graph.count)
    stored.reserveCapacity(graph.count)
    for number in 0..<graph.count {
      guard let place = try ObjectSizes.place(of: graph.objects.ids[number], index) else {
        missing += 1
        raw.append(0)
        stored.append(0)
        continue
      }
      let block = place.block
      let share = UInt64(block.storedLength) * UInt64(place.length) / UInt64(max(block.rawLength, 1))
      raw.append(place.length)
      stored.append(UInt32(clamping: share))
    }
  }

  /// Asks the tables first: only what they do not name makes the index look at the packs again.
  private static func place(of id: ObjectID, _ index: Index) throws(StoreError) -> Location? {
    if let known = try index.knownPlaces(of: id).first { return known }
    return try index.place(of: id)
  }

  subscript(object: Int) -> StoredAmount {
    StoredAmount(raw: UInt64(raw[object]), stored: UInt64(stored[object]))
  }
}
