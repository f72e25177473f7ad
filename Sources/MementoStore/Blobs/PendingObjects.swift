// Reads trees and lists from packs that are still in tmp/ and not visible yet.

internal import MementoSystem
internal import Synchronization

/// A view of the blobs of kind `meta` in unfinished packs.
package final class PendingObjects: Sendable {
  private struct Place: Sendable {
    let pack: Int
    let block: BlockRecord
    let offset: Int
    let length: Int
  }

  private struct Cache: ~Copyable, Sendable {
    let decompressor = Decompressor()
    var pack = -1
    var offset: UInt64 = 0
    var block: [UInt8] = []
  }

  private let packs: [OpenPack]
  private let places: [ObjectID: Place]
  private let cache = Mutex(Cache())

  /// `ids`: maps the numbers of the packs' blobs to ids.
  init(_ packs: [OpenPack], _ ids: NumberedIDs) {
    self.packs = packs
    var places: [ObjectID: Place] = [:]
    for (number, pack) in packs.enumerated() {
      pack.forEachBlob(.meta, in: ids) { id, block, offset, length in
        places[id] = Place(pack: number, block: block, offset: offset, length: length)
      }
    }
    self.places = places
  }

  /// The bytes of a blob; nil when none of these packs holds it. Throws when they cannot be read or unpacked.
  package func read(_ id: ObjectID) throws(StoreError) -> [UInt8]? {
    guard let place = places[id] else { return nil }
    return try cache.withLock { (cache) throws(StoreError) in
      if cache.pack != place.pack || cache.offset != place.block.offset {
        cache.pack = -1
        let stored = try packs[place.pack].read(place.block)
        var block = [UInt8](repeating: 0, count: Int(place.block.rawLength))
        let fits = stored.withUnsafeBytes { stored in
          block.withUnsafeMutableBytes { cache.decompressor.unpack(place.block.codec, stored, into: $0) }
        }
        guard fits else {
          throw .damaged(file: StoreError.unfinished, reason: "what was just written reads differently")
        }
        cache.block = block
        cache.pack = place.pack
        cache.offset = place.block.offset
      }
      return Array(cache.block[place.offset..<place.offset + place.length])
    }
  }
}
