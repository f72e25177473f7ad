// scrypt (RFC 7914): a key from a passphrase, at a price in time and memory. swift-crypto has it in CryptoExtras, which
// links all of Foundation in its older versions; docs/architecture.md has the numbers.
//
// The loops below run three million times for one key. They are written with `while` and plain variables, which the
// debug build runs at a bearable speed as well.

internal import Crypto
internal import MementoSystem

/// Derives a key from a passphrase.
enum Scrypt {
  /// So many bytes of tables are in use at once, unless one is larger. Lanes do not depend on each other, so a second core
  /// shortens the wait; more tables than this would be most of what the process may take.
  private static let mostMemory = 64 << 20
  private static let mostWorkers = 4

  /// Memory that the threads share. `@unchecked Sendable`: each thread uses a lane and a table of its own.
  private struct Memory: @unchecked Sendable {
    let lanes: UnsafeMutableRawBufferPointer
    let tables: UnsafeMutableRawBufferPointer
  }

  /// Derives `byteCount` bytes. Takes as long as `parameters` say, and as much memory, or twice as much where it is little.
  static func key(
    from passphrase: SymmetricKey, salt: [UInt8], _ parameters: ScryptParameters, byteCount: Int = 32
  ) -> SymmetricKey {
    let laneSize = 128 * parameters.blockSize
    let lanes = UnsafeMutableRawBufferPointer.allocate(byteCount: laneSize * parameters.parallelism, alignment: 64)
    let tableSize = laneSize * (parameters.cost + 1)
    let workers = max(1, min(parameters.parallelism, mostWorkers, mostMemory / (laneSize * parameters.cost)))
    let tables = UnsafeMutableRawBufferPointer.allocate(byteCount: tableSize * workers, alignment: 64)
    defer {
      lanes.initializeMemory(as: UInt8.self, repeating: 0)
      lanes.deallocate()
      tables.deallocate()
    }
    stretch(passphrase, salt: UnsafeRawBufferPointer(start: nil, count: 0), prefix: salt, into: lanes)
    let memory = Memory(lanes: lanes, tables: tables)
    let work = WorkStack<Int>()
    work.push(0..<parameters.parallelism)
    work.run(workers: workers) { worker, lane in
      let lane = UnsafeMutableRawBufferPointer(rebasing: memory.lanes[lane * laneSize..<(lane + 1) * laneSize])
      let table = UnsafeMutableRawBufferPointer(
        rebasing: memory.tables[worker * tableSize..<(worker + 1) * tableSize])
      mix(
        lane.bindMemory(to: UInt32.self).baseAddress!, table: table.bindMemory(to: UInt32.self).baseAddress!,
        cost: parameters.cost, pairs: parameters.blockSize)
    }
    let result = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 64)
    defer {
      result.initializeMemory(as: UInt8.self, repeating: 0)
      result.deallocate()
    }
    stretch(passphrase, salt: UnsafeRawBufferPointer(lanes), prefix: [], into: result)
    return SymmetricKey(data: UnsafeRawBufferPointer(result))
  }

  /// PBKDF2 with HMAC-SHA-256 and one iteration. The salt is `prefix` and then `salt`.
  private static func stretch(
    _ passphrase: SymmetricKey, salt: UnsafeRawBufferPointer, prefix: [UInt8],
    into result: UnsafeMutableRawBufferPointer
  ) {
    var filled = 0
    var number: UInt32 = 1
    while filled < result.count {
      var code = HMAC<SHA256>(key: passphrase)
      code.update(data: prefix)
      code.update(data: salt)
      withUnsafeBytes(of: number.bigEndian) { code.update(data: $0) }
      code.finalize().withUnsafeBytes { block in
        let count = min(block.count, result.count - filled)
        UnsafeMutableRawBufferPointer(rebasing: result[filled...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<count]))
        filled += count
      }
      number += 1
    }
  }

  /// scryptROMix, on a block of `pairs` × 32 words. The table has room for `cost` + 1 blocks.
  private static func mix(
    _ block: UnsafeMutablePointer<UInt32>, table: UnsafeMutablePointer<UInt32>, cost: Int, pairs: Int
  ) {
    let words = 32 * pairs
    let spare = table + cost * words
    convert(block, words)
    table.update(from: block, count: words)
    var index = 1
    while index < cost {
      mixBlock(table + (index - 1) * words, nil, into: table + index * words, pairs)
      index += 1
    }
    mixBlock(table + (cost - 1) * words, nil, into: block, pairs)
    // Two steps a turn, from `block` to `spare` and back, since the cost is a power of two and so even.
    index = 0
    while index < cost {
      mixBlock(block, table + (Int(block[words - 16]) & (cost - 1)) * words, into: spare, pairs)
      mixBlock(spare, table + (Int(spare[words - 16]) & (cost - 1)) * words, into: block, pairs)
      index += 2
    }
    convert(block, words)
  }

  /// Between the order of bytes in memory and that of this machine.
  private static func convert(_ words: UnsafeMutablePointer<UInt32>, _ count: Int) {
    var index = 0
    while index < count {
      words[index] = UInt32(littleEndian: words[index])
      index += 1
    }
  }

  /// scryptBlockMix of `input`, or of `input` XOR `other`.
  private static func mixBlock(
    _ input: UnsafeMutablePointer<UInt32>, _ other: UnsafeMutablePointer<UInt32>?,
    into output: UnsafeMutablePointer<UInt32>, _ pairs: Int
  ) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 16) { buffer in
      guard let chain = buffer.baseAddress else { return }
      add(input + (2 * pairs - 1) * 16, other.map { $0 + (2 * pairs - 1) * 16 }, to: chain, isFirst: true)
      var index = 0
      while index < 2 * pairs {
        add(input + index * 16, other.map { $0 + index * 16 }, to: chain, isFirst: false)
        shuffle(chain)
        // Blocks with even numbers come first.
        (output + (index / 2 + index % 2 * pairs) * 16).update(from: chain, count: 16)
        index += 1
      }
    }
  }

  /// XOR of 16 words.
  private static func add(
    _ input: UnsafeMutablePointer<UInt32>, _ other: UnsafeMutablePointer<UInt32>?,
    to chain: UnsafeMutablePointer<UInt32>, isFirst: Bool
  ) {
    var index = 0
    while index < 16 {
      var word = input[index]
      if let other { word ^= other[index] }
      chain[index] = isFirst ? word : chain[index] ^ word
      index += 1
    }
  }

  @inline(__always) private static func turn(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word &<< count | word &>> (32 &- count)
  }

  /// Salsa20/8.
  private static func shuffle(_ words: UnsafeMutablePointer<UInt32>) {
    var (x0, x1, x2, x3) = (words[0], words[1], words[2], words[3])
    var (x4, x5, x6, x7) = (words[4], words[5], words[6], words[7])
    var (x8, x9, x10, x11) = (words[8], words[9], words[10], words[11])
    var (x12, x13, x14, x15) = (words[12], words[13], words[14], words[15])
    var round = 0
    while round < 4 {
      x4 ^= turn(x0 &+ x12, 7)
      x8 ^= turn(x4 &+ x0, 9)
      x12 ^= turn(x8 &+ x4, 13)
      x0 ^= turn(x12 &+ x8, 18)
      x9 ^= turn(x5 &+ x1, 7)
      x13 ^= turn(x9 &+ x5, 9)
      x1 ^= turn(x13 &+ x9, 13)
      x5 ^= turn(x1 &+ x13, 18)
      x14 ^= turn(x10 &+ x6, 7)
      x2 ^= turn(x14 &+ x10, 9)
      x6 ^= turn(x2 &+ x14, 13)
      x10 ^= turn(x6 &+ x2, 18)
      x3 ^= turn(x15 &+ x11, 7)
      x7 ^= turn(x3 &+ x15, 9)
      x11 ^= turn(x7 &+ x3, 13)
      x15 ^= turn(x11 &+ x7, 18)
      x1 ^= turn(x0 &+ x3, 7)
      x2 ^= turn(x1 &+ x0, 9)
      x3 ^= turn(x2 &+ x1, 13)
      x0 ^= turn(x3 &+ x2, 18)
      x6 ^= turn(x5 &+ x4, 7)
      x7 ^= turn(x6 &+ x5, 9)
      x4 ^= turn(x7 &+ x6, 13)
      x5 ^= turn(x4 &+ x7, 18)
      x11 ^= turn(x10 &+ x9, 7)
      x8 ^= turn(x11 &+ x10, 9)
      x9 ^= turn(x8 &+ x11, 13)
      x10 ^= turn(x9 &+ x8, 18)
      x12 ^= turn(x15 &+ x14, 7)
      x13 ^= turn(x12 &+ x15, 9)
      x14 ^= turn(x13 &+ x12, 13)
      x15 ^= turn(x14 &+ x13, 18)
      round += 1
    }
    words[0] &+= x0
    words[1] &+= x1
    words[2] &+= x2
    words[3] &+= x3
    words[4] &+= x4
    words[5] &+= x5
    words[6] &+= x6
    words[7] &+= x7
    words[8] &+= x8
    words[9] &+= x9
    words[10] &+= x10
    words[11] &+= x11
    words[12] &+= x12
    words[13] &+= x13
    words[14] &+= x14
    words[15] &+= x15
  }
}
