// Which blobs a transfer copies: first trees and lists, then contents, in the order in which they lie in the packs of the
// source.

internal import MementoSystem

/// The wanted blobs, by the blocks that hold them.
package struct TransferPlan: Sendable {
  /// A wanted blob: where it lies in its unpacked block.
  struct Part: Sendable {
    /// In the set of wanted blobs.
    let number: UInt32
    let offset: UInt32
    let length: UInt32
  }

  /// A block of which something is wanted.
  struct Block: Sendable {
    let pack: UInt32
    let record: BlockRecord
    /// Its parts.
    let parts: Range<Int>
  }

  /// Blocks that are read in one go.
  struct Run {
    let blocks: Range<Int>
    let stored: StoredRun
  }

  let wanted: BlobSet
  private(set) var blocks: [Block] = []
  private(set) var parts: [Part] = []

  init(
    _ wanted: BlobSet, from source: Store, besides isThere: (ObjectID) throws(StoreError) -> Bool
  ) throws(StoreError) {
    self.wanted = wanted
    var found: [(place: Location, number: UInt32)] = []
    for number in 0..<wanted.count {
      let id = wanted.ids[number]
      if try isThere(id) { continue }
      guard let place = try source.index.place(of: id) else { throw .missing(id) }
      found.append((place, UInt32(number)))
    }
    // What describes comes first, so that it lies side by side there: whoever restores something reads it before all else.
    found.sort { left, right in
      let kinds = (left.place.block.kind, right.place.block.kind)
      if kinds.0 != kinds.1 { return kinds.0 == .meta }
      return left.place.sortKey < right.place.sortKey
    }
    for (place, number) in found {
      if let last = blocks.last, last.pack == place.pack, last.record.offset == place.block.offset {
        blocks[blocks.count - 1] = Block(
          pack: last.pack, record: last.record, parts: last.parts.lowerBound..<parts.count + 1)
      } else {
        blocks.append(Block(pack: place.pack, record: place.block, parts: parts.count..<parts.count + 1))
      }
      parts.append(Part(number: number, offset: place.offset, length: place.length))
    }
  }

  /// The number of blobs to copy.
  package var blobCount: Int { parts.count }

  /// The size of the blobs to copy, in bytes before compression.
  package var rawBytes: UInt64 { parts.reduce(0) { $0 + UInt64($1.length) } }

  /// The size of the blobs to copy, in bytes after compression: of a block of which a part is wanted, as large a part.
  package var storedBytes: UInt64 { storedBytes(of: blocks.indices) }

  func storedBytes(of range: Range<Int>) -> UInt64 {
    blocks[range].reduce(0) { sum, block in
      let wanted = parts[block.parts].reduce(0) { $0 + UInt64($1.length) }
      return sum + UInt64(block.record.storedLength) * wanted / UInt64(max(block.record.rawLength, 1))
    }
  }

  func id(_ part: Part) -> ObjectID { wanted.ids[Int(part.number)] }

  /// Whether everything in the block is wanted: the wanted blobs fill it. An index does not know how many it has.
  func isWhole(_ block: Block) -> Bool {
    var end: UInt64 = 0
    for part in parts[block.parts] {
      guard UInt64(part.offset) == end else { return false }
      end += UInt64(part.length)
    }
    return end == UInt64(block.record.rawLength)
  }

  /// Cuts the blocks into ranges of about `size` stored bytes. The first three of a long transfer are smaller: all workers
  /// begin at once, and the line would wait until each has a full pack.
  func batches(of size: UInt64) -> [Range<Int>] {
    let rises = storedBytes > 2 * size
    var result: [Range<Int>] = []
    var start = 0
    var sum: UInt64 = 0
    for number in blocks.indices {
      let more = UInt64(blocks[number].record.storedLength)
      let most = rises ? min(size, size / 4 * UInt64(result.count + 1)) : size
      if number > start, sum + more > most {
        result.append(start..<number)
        start = number
        sum = 0
      }
      sum += more
    }
    if start < blocks.count { result.append(start..<blocks.count) }
    return result
  }

  /// The blocks from `start` on that lie so near to each other that they are read in one go.
  func run(from start: Int, before limit: Int) -> Run {
    var stored = StoredRun(blocks[start].record, ofPack: blocks[start].pack)
    var next = start + 1
    while next < limit, stored.add(blocks[next].record, ofPack: blocks[next].pack) { next += 1 }
    return Run(blocks: start..<next, stored: stored)
  }
}
