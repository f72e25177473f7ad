// Random numbers that are the same in every run.

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  /// Bytes that no codec can compress.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      var position = 0
      while position < count {
        withUnsafeBytes(of: next()) { word in
          let piece = min(8, count - position)
          UnsafeMutableRawBufferPointer(rebasing: bytes[position..<position + piece])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: word[..<piece]))
        }
        position += 8
      }
      initialized = count
    }
  }
}
