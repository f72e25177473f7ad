import MementoStore
import MementoSystem
import TestSupport
import Testing

struct TableOfContentsTests {
  struct Block {
    var kind: UInt8 = 0
    var codec: UInt8 = 0
    var raw: UInt32
    var stored: UInt32
    var count: UInt32
    var offset: UInt64
  }

  /// An encoder of its own, so that the code under test is not checked against itself.
  static func encode(
    _ blocks: [Block], _ blobs: [(ObjectID, UInt32)], blockCount: UInt32? = nil
  ) -> [UInt8] {
    var out = ByteWriter()
    out.u32(blockCount ?? UInt32(blocks.count))
    for block in blocks {
      out.append([block.kind, block.codec, 0, 0])
      out.u32(block.raw)
      out.u32(block.stored)
      out.u32(block.count)
      out.u64(block.offset)
    }
    for (id, length) in blobs {
      out.id(id)
      out.u32(length)
    }
    return out.bytes
  }

  static let blobs: [(ObjectID, UInt32)] = [
    (ObjectID(hashing: "a".bytes), 10), (ObjectID(hashing: "b".bytes), 20), (ObjectID(hashing: "c".bytes), 0),
  ]
  static let blocks = [
    Block(kind: 0, codec: 2, raw: 30, stored: 25, count: 2, offset: 16),
    Block(kind: 1, codec: 0, raw: 0, stored: 0, count: 1, offset: 41),
  ]
  static let blockEnd: UInt64 = 41
  static let good = encode(blocks, blobs)

  private func read(_ bytes: [UInt8], blockEnd: UInt64 = blockEnd) -> TableOfContents? {
    try? TableOfContents(bytes, blockEnd: blockEnd)
  }

  @Test func comesBack() throws {
    let table = try TableOfContents(TableOfContentsTests.good, blockEnd: TableOfContentsTests.blockEnd)
    #expect(table.encoded() == TableOfContentsTests.good)
    #expect(table.blocks.map(\.codec) == [.zstd, .stored])
    #expect(table.blocks.map(\.kind) == [.data, .meta])
    #expect(table.blocks.map(\.offset) == [16, 41])
    #expect(table.blobs.map(\.id) == TableOfContentsTests.blobs.map(\.0))
    #expect(table.blobs.map(\.length) == [10, 20, 0])
    let empty = TableOfContents()
    #expect(try TableOfContents(empty.encoded(), blockEnd: 16) == empty)
  }

  @Test func eachTruncationIsRefused() {
    let good = TableOfContentsTests.good
    for length in 0..<good.count { #expect(read(Array(good.prefix(length))) == nil) }
    #expect(read(good + [0]) == nil)
    #expect(read(good + good) == nil)
  }

  @Test func noFlippedBitTrapsOrIsLost() {
    let good = TableOfContentsTests.good
    for bit in 0..<good.count * 8 {
      var flipped = Content.flipping(good, bit: bit)
      guard let table = read(flipped) else { continue }
      // The table read is the one written, apart from bytes without a meaning.
      for block in 0..<2 { flipped[4 + block * 24 + 3] = 0 }
      #expect(table.encoded() == flipped)
    }
  }

  static let hostile: [(String, [UInt8])] = [
    ("all blocks", encode(blocks, blobs, blockCount: .max)),
    ("one block more", encode(blocks, blobs, blockCount: 3)),
    ("one block less", encode(blocks, blobs, blockCount: 1)),
    ("unknown kind", encode([Block(kind: 2, raw: 30, stored: 9, count: 2, offset: 16)], Array(blobs[..<2]))),
    ("unknown codec", encode([Block(codec: 3, raw: 30, stored: 9, count: 2, offset: 16)], Array(blobs[..<2]))),
    ("huge count", encode([Block(raw: 30, stored: 9, count: .max, offset: 16)], Array(blobs[..<2]))),
    ("huge when unpacked", encode([Block(raw: .max, stored: 9, count: 2, offset: 16)], Array(blobs[..<2]))),
    ("huge when stored", encode([Block(raw: 30, stored: .max, count: 2, offset: 16)], Array(blobs[..<2]))),
    ("behind the end", encode([Block(raw: 30, stored: 9, count: 2, offset: 33)], Array(blobs[..<2]))),
    ("far behind", encode([Block(raw: 30, stored: 9, count: 2, offset: 1 << 62)], Array(blobs[..<2]))),
    ("overflow", encode([Block(raw: 30, stored: 9, count: 2, offset: .max - 4)], Array(blobs[..<2]))),
    ("in the header", encode([Block(raw: 30, stored: 9, count: 2, offset: 15)], Array(blobs[..<2]))),
    ("not full", encode([Block(raw: 31, stored: 9, count: 2, offset: 16)], Array(blobs[..<2]))),
    ("too full", encode([Block(raw: 29, stored: 9, count: 2, offset: 16)], Array(blobs[..<2]))),
    (
      "sum past 32 bits",
      encode(
        [Block(raw: 30, stored: 9, count: 3, offset: 16)],
        [(.zero, .max), (.zero, 1), (.zero, 30)])
    ),
  ]

  @Test(arguments: hostile)
  func hostileNumbersAreRefused(_ name: String, _ bytes: [UInt8]) {
    #expect(read(bytes) == nil)
    var generator = SplitMix64(seed: 1)
    for _ in 0..<200 { _ = read(generator.bytes(Int(generator.next() % 200))) }
  }

  /// The byte of a block record that no version has used.
  @Test func theReservedByteIsZero() {
    let place = 7
    var bytes = TableOfContentsTests.good
    #expect(read(bytes) != nil && bytes[place] == 0)
    bytes[place] = 1
    #expect(read(bytes) == nil)
  }

  // MARK: At the end of a pack

  private func pack(
    _ table: [UInt8], offset: UInt64? = nil, length: UInt64? = nil, hash: ObjectID? = nil
  ) -> [UInt8] {
    var out = ByteWriter()
    out.append(PackFormat.header)
    out.append(Content.random(25, seed: 3))
    let start = UInt64(out.bytes.count)
    out.append(table)
    out.u64(offset ?? start)
    out.u64(length ?? UInt64(table.count))
    out.id(hash ?? ObjectID(hashing: table))
    out.append(PackFormat.footerMagic)
    return out.bytes
  }

  private func open(_ bytes: [UInt8], named id: ObjectID) throws -> TableOfContents {
    let folder = try TemporaryDirectory()
    try folder.write("pack", bytes)
    return try TableOfContents(
      of: PackReader(SharedDescriptor(folder.descriptor.open("pack".bytes, .read))), named: id)
  }

  @Test func isReadFromItsPack() throws {
    let good = TableOfContentsTests.good
    #expect(try open(pack(good), named: ObjectID(hashing: good)).encoded() == good)
  }

  @Test func eachFlippedBitIsRefusedByName() throws {
    let good = TableOfContentsTests.good
    let bytes = pack(good)
    let id = ObjectID(hashing: good)
    for place in 41..<bytes.count {
      let flipped = Content.flipping(bytes, bit: place * 8 + place % 8)
      #expect(outcome { try open(flipped, named: id) } == .damaged)
    }
  }

  @Test func eachTruncationIsRefusedByName() throws {
    let bytes = pack(TableOfContentsTests.good)
    let id = ObjectID(hashing: TableOfContentsTests.good)
    for length in 0..<bytes.count {
      #expect(outcome { try open(Array(bytes.prefix(length)), named: id) } == .damaged)
    }
    #expect(outcome { try open(bytes + [0], named: id) } == .damaged)
    #expect(outcome { try open(bytes, named: .zero) } == .damaged)
  }

  @Test(arguments: [
    (UInt64.max, UInt64(1)), (0, .max), (1 << 63, 1 << 63), (41, 1 << 62), (41, 0), (42, 159), (0, 0),
  ])
  func hostileFootersAreRefused(_ offset: UInt64, _ length: UInt64) throws {
    let good = TableOfContentsTests.good
    let bytes = pack(good, offset: offset, length: length)
    #expect(outcome { try open(bytes, named: ObjectID(hashing: good)) } == .damaged)
  }

  @Test func aTableOfATerabyteIsRefusedBeforeItIsRead() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.descriptor.open("pack".bytes, .create)
    let size: UInt64 = 8 << 40
    var footer = ByteWriter()
    footer.u64(16)
    footer.u64(size - 16)
    footer.id(.zero)
    footer.append(PackFormat.footerMagic)
    try file.write(PackFormat.header)
    try file.write(footer.bytes, at: size)
    let pack = PackReader(SharedDescriptor(file))
    #expect(outcome { try TableOfContents(of: pack, named: .zero) } == .damaged)
  }

  @Test func onlyThisFormIsTheNameOfAPack() {
    let id = ObjectID(hashing: "x".bytes)
    #expect(PackName.id(fromFileName: PackName.fileName(id)) == id)
    for name in ["", ".pack", "\(id)", "\(id).pac", "\(id).pack2", "x\(id).pack", "\(id.short).pack"] {
      #expect(PackName.id(fromFileName: name.bytes) == nil)
    }
  }
}
