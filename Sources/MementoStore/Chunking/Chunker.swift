// Cuts content into chunks at places that the content itself decides, so that an insertion moves few cuts.
//
// FastCDC with normalised chunking (Xia et al., USENIX ATC 2016): a gear hash over the last 64 bytes; before the wanted
// size a cut needs two more zero bits than the size asks for, after it two fewer, which draws sizes together.

/// The sizes of chunks, in bytes.
package struct ChunkSizes: Equatable, Sendable {
  package let minimum: Int
  /// A power of two.
  package let average: Int
  package let maximum: Int

  /// Nil when the sizes are not in order or the average is no power of two.
  package init?(minimum: Int, average: Int, maximum: Int) {
    guard minimum >= 64, minimum < average, average < maximum, maximum <= 1 << 24,
      average.nonzeroBitCount == 1
    else { return nil }
    self.minimum = minimum
    self.average = average
    self.maximum = maximum
  }

  private init(_ minimum: Int, _ average: Int, _ maximum: Int) {
    self.minimum = minimum
    self.average = average
    self.maximum = maximum
  }

  package static let standard = ChunkSizes(16 << 10, 64 << 10, 256 << 10)
}

/// Finds cuts. Same bytes, same cuts, whoever looks.
package struct Chunker: Sendable {
  package let sizes: ChunkSizes
  private let strictMask: UInt64
  private let looseMask: UInt64

  package init(sizes: ChunkSizes = .standard) {
    self.sizes = sizes
    let bits = sizes.average.trailingZeroBitCount
    strictMask = Chunker.topBits(bits + 2)
    looseMask = Chunker.topBits(max(1, bits - 2))
  }

  /// The high bits hold the longest memory of a hash that shifts to the left.
  private static func topBits(_ count: Int) -> UInt64 {
    ~(UInt64.max >> UInt64(count))
  }

  /// The length of the first chunk of `bytes`, which hold at least `sizes.maximum` bytes or all that is left of the
  /// content.
  package func firstCut(in bytes: UnsafeRawBufferPointer) -> Int {
    if bytes.count <= sizes.minimum { return bytes.count }
    let end = min(bytes.count, sizes.maximum)
    let middle = min(end, sizes.average)
    let start = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
    return GearTable.words.withUnsafeBufferPointer { gear in
      let gear = gear.baseAddress!
      var hash: UInt64 = 0
      var position = sizes.minimum
      while position < middle {
        hash = (hash << 1) &+ gear[Int(start[position])]
        position += 1
        if hash & strictMask == 0 { return position }
      }
      while position < end {
        hash = (hash << 1) &+ gear[Int(start[position])]
        position += 1
        if hash & looseMask == 0 { return position }
      }
      return end
    }
  }
}
