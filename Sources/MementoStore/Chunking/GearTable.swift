// 256 random-looking words, one for each byte value: what the rolling hash adds.

/// Filled by SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) from a fixed seed. Part of the format only in this sense:
/// another table cuts elsewhere, and what is stored already would be stored once more.
enum GearTable {
  static let seed: UInt64 = 0x6d65_6d65_6e74_6f31  // "memento1"

  static let words: [UInt64] = {
    var state = seed
    return (0..<256).map { _ in
      state &+= 0x9e37_79b9_7f4a_7c15
      var word = state
      word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
      word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
      return word ^ (word >> 31)
    }
  }()
}
