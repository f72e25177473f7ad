// 256 random-looking words, one for each byte value: the rolling hash adds the word of each byte.

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) fills the table from a fixed seed. Readers do not need the table. But
/// with another table the chunker would cut elsewhere, and content that is in the store already would be stored again.
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
