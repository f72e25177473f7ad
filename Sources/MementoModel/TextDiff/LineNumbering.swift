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
    let lineHash = LineHash()
    /// For each number, the hash and one line that has it.
    var samples: [(hash: Int, line: Int32, isNew: Bool)] = []

    mutating func number(of line: Int, isNew: Bool) -> Int32 {
      let text = isNew ? new : old
      let hash = text.bytes.withUnsafeBytes { bytes in
        lineHash(UnsafeRawBufferPointer(rebasing: bytes[text.range(of: line)]))
      }
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

/// Hashes lines, eight bytes at a time: as wyhash does, it multiplies to 128 bits and folds the halves. The key is random for
/// each comparison, so nobody can write a text whose lines all collide. What it finds equal is compared.
private struct LineHash {
  private let seed = UInt64.random(in: .min ... .max)
  private let key = UInt64.random(in: .min ... .max) | 1

  func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> Int {
    var hash = seed ^ UInt64(bytes.count)
    var place = 0
    while place + 8 <= bytes.count {
      hash = mixed(hash ^ bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      place += 8
    }
    var rest: UInt64 = 0
    while place < bytes.count {
      rest = rest << 8 | UInt64(bytes[place])
      place += 1
    }
    return Int(truncatingIfNeeded: mixed(mixed(hash ^ rest) ^ seed))
  }

  private func mixed(_ value: UInt64) -> UInt64 {
    let (high, low) = value.multipliedFullWidth(by: key)
    return high ^ low
  }
}
