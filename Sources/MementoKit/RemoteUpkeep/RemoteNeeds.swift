// What the names of a remote need of its packs.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoStore

struct RemoteNeeds {
  /// A pack is rewritten when at least this percentage of its blobs' bytes is not needed, as here.
  static let threshold: UInt64 = 20
  /// Less than this, of all packs together, is not worth the requests: in bytes.
  static let leastGain: UInt64 = 64 << 10

  /// Every blob that is needed.
  let blobs: BlobSet
  /// The objects of the packs that must stay.
  let packs: Set<ObjectID>
  /// Of those of which little is needed: how many bytes of the object its needed blobs take.
  private(set) var sparse: [ObjectID: UInt64] = [:]
  private let look: RemoteLook

  /// Throws when a blob is in no pack, unless `toleratesMissing`.
  init(_ look: RemoteLook, _ blobs: BlobSet, toleratesMissing: Bool = false) throws(RepositoryError) {
    self.look = look
    self.blobs = blobs
    var needed: Set<ObjectID> = []
    // Of packs that nobody has marked: the bytes of the blobs for which they are needed, before compression.
    var live: [ObjectID: (pack: ObjectID, bytes: UInt64)] = [:]
    var lengths: [ObjectID: UInt64] = [:]
    try look.view.session.receive { () throws(StoreError) in
      for number in 0..<blobs.count {
        let holders = try RemoteNeeds.holders(of: blobs.ids[number], look)
        if holders.isEmpty, !toleratesMissing { throw .missing(blobs.ids[number]) }
        needed.formUnion(holders.map(\.object))
        if holders.count == 1, !look.look.marks.isMarked(holders[0].object) {
          live[holders[0].object, default: (holders[0].pack, 0)].bytes += holders[0].length
        }
      }
      lengths = try look.remote.store.index.rawLengths()
    }
    packs = needed
    var gain: UInt64 = 0
    for (object, part) in live {
      guard let all = lengths[part.pack], all > part.bytes, let stored = look.look.packs[object]?.size,
        (all - part.bytes) * 100 >= all * RemoteNeeds.threshold
      else { continue }
      let kept = UInt64(Double(stored) * Double(part.bytes) / Double(all))
      sparse[object] = kept
      gain += stored - min(kept, stored)
    }
    if gain < RemoteNeeds.leastGain { sparse = [:] }
  }

  /// The objects that must stay for a blob, with their packs, and the size of the blob in them.
  private static func holders(
    of blob: ObjectID, _ look: RemoteLook
  ) throws(StoreError) -> [(object: ObjectID, pack: ObjectID, length: UInt64)] {
    let index = look.remote.store.index
    var all: [ObjectID: (pack: ObjectID, length: UInt64)] = [:]
    for place in try index.knownPlaces(of: blob) {
      let pack = index.packID(place.pack)
      for object in look.objects(of: pack) { all[object] = (pack, UInt64(place.length)) }
    }
    if all.isEmpty { return [] }
    return look.look.needed(of: Array(all.keys)).compactMap { object in all[object].map { (object, $0.pack, $0.length) }
    }
  }

  /// The blobs for which these packs are needed.
  func blobs(of objects: Set<ObjectID>) throws(RepositoryError) -> BlobSet {
    try look.view.session.receive { () throws(StoreError) in
      var result = BlobSet()
      for number in 0..<blobs.count {
        let id = blobs.ids[number]
        let holders = try RemoteNeeds.holders(of: id, look)
        if holders.contains(where: { objects.contains($0.object) }) { _ = result.insert(id) }
      }
      return result
    }
  }
}
