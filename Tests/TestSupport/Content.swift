// Content for tests.

extension String {
  /// The UTF-8 bytes of the text. File names are bytes.
  package var bytes: [UInt8] { Array(utf8) }
}

package enum Content {
  package static func random(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SplitMix64(seed: seed)
    return generator.bytes(count)
  }

  /// Lines of words, which every codec compresses well.
  package static func text(_ count: Int, seed: UInt64) -> [UInt8] {
    let words = ["epoch ", "loss ", "accuracy ", "0.", "seed ", "model\n", "x", "learning rate "]
    var generator = SplitMix64(seed: seed)
    var result: [UInt8] = []
    result.reserveCapacity(count + 16)
    while result.count < count {
      result.append(contentsOf: words[Int(generator.next() % UInt64(words.count))].utf8)
    }
    return Array(result.prefix(count))
  }

  package static func zeros(_ count: Int) -> [UInt8] {
    [UInt8](repeating: 0, count: count)
  }

  /// The bytes with the bit number `bit` inverted.
  package static func flipping(_ bytes: [UInt8], bit: Int) -> [UInt8] {
    var result = bytes
    result[bit / 8] ^= 1 << UInt8(bit % 8)
    return result
  }
}
