// Gives equal lines equal numbers, so that comparing two texts compares integers.

struct LineNumbering {
  /// The numbers of the lines of each text. Numbers begin at 0.
  private(set) var old: [Int32] = []
  private(set) var new: [Int32] = []
  /// How many different numbers there are.
  private(set) var count = 0

  /// Numbers a range of lines of two texts.
  init(old oldText: TextLines, _ oldRange: Range<Int>, new newText: TextLines, _ newRange: Range<Int>) {
    var size = 16
    while size < (oldRange.count + newRange.count) * 2 { size *= 2 }
    var table = Table(old: oldText, new: newText, slots: [Int32](repeating: -1, count: size))
    old.reserveCapacity(oldRange.count)
    for line in oldRange { old.append(table.number(of: line, isNew: false)) }
    new.reserveCapacity(newRange.count)
    for line in newRange { new.append(table.number(of: line, isNew: true)) }
    count = table.samples.count
  }

  /// A hash table with open addressing. A dictionary would keep a copy of each line.
  private struct Table {
    let old: TextLines
    let new: TextLines
    var slots: [Int32]
    /// For each number, the hash and one line that has it.
    var samples: [(hash: Int, line: Int32, isNew: Bool)] = []

    mutating func number(of line: Int, isNew: Bool) -> Int32 {
      let text = isNew ? new : old
      // The hash of the standard library has a random key, so nobody can write a text whose lines all collide.
      var hasher = Hasher()
      text.bytes.withUnsafeBytes { bytes in
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes[text.range(of: line)]))
      }
      let hash = hasher.finalize()
      var slot = hash & (slots.count - 1)
      while slots[slot] >= 0 {
        let number = slots[slot]
        let sample = samples[Int(number)]
        if sample.hash == hash, text.isEqual(line, sample.isNew ? new : old, Int(sample.line)) { return number }
        slot = (slot + 1) & (slots.count - 1)
      }
      slots[slot] = Int32(samples.count)
      samples.append((hash, Int32(line), isNew))
      return slots[slot]
    }
  }
}
