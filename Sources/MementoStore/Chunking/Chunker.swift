// Cuts content into chunks. The content itself decides where, so an insertion moves only the cuts near it.
//
// The algorithm is FastCDC with normalised chunking (Xia et al., USENIX ATC 2016). It computes a gear hash over the
// last 64 bytes. Before the average size, a cut needs two zero bits more than that size asks for; after it, two fewer.
// This brings the sizes of the chunks closer to the average.

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

/// Finds where chunks end. The same bytes always give the same chunks.
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

  /// A mask of the `count` highest bits. The hash shifts to the left, so its high bits depend on more bytes than its
  /// low bits.
  private static func topBits(_ count: Int) -> UInt64 {
    ~(UInt64.max >> UInt64(count))
  }

  /// The length of the first chunk of `bytes`. The caller passes at least `sizes.maximum` bytes, or all that is left of
  /// the content.
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
