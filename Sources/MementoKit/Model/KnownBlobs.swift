// A few of the blobs that a save did not store because the store has them already.

internal import MementoStore

/// Keeps some of the blobs that it is told of, all with the same chance.
struct KnownBlobs {
  private static let most = 4

  private(set) var ids: [ObjectID] = []
  private var ranks: [Int] = []

  mutating func add(_ id: ObjectID) {
    // Hash values differ from process to process: so every save chooses others.
    let rank = id.hashValue
    if ranks.contains(rank) { return }
    if ids.count < KnownBlobs.most {
      ids.append(id)
      ranks.append(rank)
    } else if let place = ranks.indices.max(by: { ranks[$0] < ranks[$1] }), rank < ranks[place] {
      (ids[place], ranks[place]) = (id, rank)
    }
  }
}
