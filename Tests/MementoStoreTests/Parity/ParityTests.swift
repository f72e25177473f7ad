import MementoSystem
import TestSupport
import Testing

@testable import MementoStore

/// Parity of packs that are not packs: any bytes will do.
struct ParityTests {
  private let fixture: StoreFixture
  private let folder: StoreFolder

  init() throws {
    fixture = try StoreFixture()
    folder = try fixture.folder()
  }

  private func writer(_ share: String) throws -> ParityWriter {
    let share = try #require(ParityShare(share))
    return try #require(ParityWriter(folder, share))
  }

  private func finish(_ writer: ParityWriter, _ size: Int) throws -> SharedDescriptor {
    guard let file = writer.finish(size: UInt64(size)) else { throw Errno.invalid }
    return file.file
  }

  /// Bytes with their parity. They are added in pieces of random length and in random order; every third is copied.
  private func made(
    _ size: Int, share: String = "2%", seed: UInt64 = 1
  ) throws -> (bytes: [UInt8], par: ParityReader, file: SharedDescriptor) {
    let bytes = Content.random(size, seed: seed)
    var random = SplitMix64(seed: seed)
    var pieces: [Range<Int>] = []
    var start = 0
    while start < size {
      let end = min(size, start + 1 + Int(random.next() % 70_000))
      pieces.append(start..<end)
      start = end
    }
    let writer = try writer(share)
    for (number, piece) in pieces.shuffled(using: &random).enumerated() {
      writer.add(Array(bytes[piece]), at: UInt64(piece.lowerBound), isCopied: number % 3 == 0)
    }
    let shared = try finish(writer, size)
    guard let par = try ParityReader(shared) else { throw Errno.invalid }
    return (bytes, par, shared)
  }

  private func healed(_ now: [UInt8], _ par: ParityReader) throws -> [UInt8] {
    try par.bytes(at: 0, count: Int(par.packSize)) { (offset, count) throws(Errno) in
      Array(now.dropFirst(Int(offset)).prefix(count))
    }
  }

  @Test(arguments: [1, 100, 4095, 4096, 4097, 200_000, 262_144, 262_145, 1_000_003, 14_000_000])
  func everyLostRunIsHealed(_ size: Int) throws {
    let (bytes, par, _) = try made(size)
    #expect(par.packSize == UInt64(size))
    #expect(try par.isIntact())
    #expect(try healed(bytes, par) == bytes)
    var random = SplitMix64(seed: UInt64(size))
    for _ in 0..<12 {
      var now = bytes
      let start = Int(random.next() % UInt64(size))
      for place in start..<min(size, start + 4096) { now[place] = UInt8(truncatingIfNeeded: random.next()) }
      #expect(try healed(now, par) == bytes)
    }
    // What was cut off is healed, too, and what cannot be read.
    #expect(try healed(Array(bytes.dropLast(min(size, 3000))), par) == bytes)
    let bad = UInt64(random.next() % UInt64(size))
    let found = try par.bytes(at: 0, count: size) { (offset, count) throws(Errno) in
      if offset <= bad, bad < offset + UInt64(count) { throw .input }
      return Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
    #expect(found == bytes)
  }

  @Test func anyRangeIsRead() throws {
    let (bytes, par, _) = try made(500_000)
    let now = Content.flipping(bytes, bit: 300_000 * 8)
    var random = SplitMix64(seed: 3)
    for _ in 0..<50 {
      let start = Int(random.next() % 510_000)
      let count = Int(random.next() % 50_000)
      let found = try par.bytes(at: UInt64(start), count: count) { (offset, count) throws(Errno) in
        Array(now.dropFirst(Int(offset)).prefix(count))
      }
      #expect(found == Array(bytes.dropFirst(start).prefix(count)))
    }
  }

  @Test(arguments: ["1%", "2%", "10%", "50%"])
  func theShareIsKept(_ share: String) throws {
    let size = 60_000_000
    let writer = try writer(share)
    writer.add(Content.zeros(size), at: 0, isCopied: false)
    let shared = try finish(writer, size)
    let percent = try #require(Double(share.dropLast()))
    let found = Double(try shared.descriptor.status().size) / Double(size) * 100
    #expect(found > percent && found < percent * 1.1 + 0.2, "\(found)")
  }

  @Test func aDamagedParityFileIsFoundAndHarmless() throws {
    let (bytes, par, file) = try made(300_000)
    let now = Content.flipping(bytes, bit: 150_000 * 8)
    #expect(try healed(now, par) == bytes)
    let whole = try file.descriptor.contents()
    for place in stride(from: 0, to: whole.count, by: 97) {
      let other = try TemporaryFile(making: "par \(place)".bytes, in: folder.temporary, ownedLike: folder.root)
      try other.write(Content.flipping(whole, bit: place * 8 + place % 8))
      let shared = other.file
      guard let reader = try ParityReader(shared) else { continue }
      #expect(try !reader.isIntact())
      // It heals the damage or leaves it; it makes no other.
      let found = try healed(now, reader)
      #expect(found == bytes || found == now)
      #expect(try healed(bytes, reader) == bytes)
    }
    for length in stride(from: 0, to: whole.count, by: 1009) {
      let other = try TemporaryFile(making: "cut \(length)".bytes, in: folder.temporary, ownedLike: folder.root)
      try other.write(Array(whole.prefix(length)))
      let shared = other.file
      #expect(try ParityReader(shared)?.packSize == nil)
    }
  }

  /// Each of the two checks by itself: another one would find the damage later.
  @Test func theTableAndEachPieceAreChecked() throws {
    let (_, _, file) = try made(50_000)
    let whole = try file.descriptor.contents()
    func reader(_ place: Int, _ name: String) throws -> ParityReader? {
      let other = try TemporaryFile(making: name.bytes, in: folder.temporary, ownedLike: folder.root)
      try other.write(Content.flipping(whole, bit: place * 8))
      return try ParityReader(other.file)
    }
    // The last byte of the table is in a checksum of a sector: everything else about it fits.
    #expect(try reader(whole.count - ParityFormat.footerSize - 1, "table")?.packSize == nil)
    // The first byte of the first piece.
    let damaged = try #require(try reader(ParityFormat.header.count, "piece"))
    #expect(try !damaged.isIntact())
  }

  /// A table with a right hash and wrong content: nothing traps, and nothing is read outside of the file.
  @Test(arguments: 0..<300)
  func forgedTables(_ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    func number() -> UInt64 {
      switch random.next() % 4 {
      case 0: random.next() % 10
      case 1: random.next() % 100_000
      case 2: UInt64.max - random.next() % 10
      default: random.next()
      }
    }
    var pieces: [ParityPiece] = []
    for _ in 0..<random.next() % 4 {
      pieces.append(
        ParityPiece(
          kind: random.next() % 2 == 0 ? .copy : .parity, groups: Int(number() & 0xffff_ffff), begin: number(),
          length: number(), checksum: 0))
    }
    let size = number()
    let sums = [UInt32](repeating: 0, count: Int(min(ParityFormat.sectors(size), 40)))
    let table = ParityTable(size: size, pieces: pieces, checksums: sums).encoded()
    let body = Content.random(Int(random.next() % 20_000), seed: UInt64(seed))
    var out = ByteWriter()
    out.append(ParityFormat.header)
    out.append(body)
    let begin = UInt64(out.bytes.count)
    out.append(table)
    out.u64(begin)
    out.u64(UInt64(table.count))
    out.id(ObjectID(hashing: table))
    out.append(ParityFormat.footerMagic)
    let file = try TemporaryFile(making: "forged".bytes, in: folder.temporary, ownedLike: folder.root)
    try file.write(out.bytes)
    let shared = file.file
    guard let reader = try ParityReader(shared) else { return }
    _ = try reader.isIntact()
    let count = Int(min(reader.packSize, 100_000))
    _ = try reader.bytes(at: 0, count: count) { (offset, count) throws(Errno) in [UInt8](repeating: 1, count: count) }
  }

  @Test(arguments: ["none", "1%", "2%", "50%"])
  func sharesAreRead(_ text: String) {
    #expect(ParityShare(text)?.description == text)
  }

  @Test(arguments: ["", "2", "0%", "51%", "2.5%", "-1%", "%", "all", "2 %"])
  func otherSharesAreRefused(_ text: String) {
    #expect(ParityShare(text) == nil)
  }
}
