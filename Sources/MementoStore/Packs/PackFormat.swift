// The bytes of a pack: a header, blocks back to back, a table of contents, a footer. See docs/format.md.

package import MementoSystem

/// What the blobs of a block are; blocks hold one kind only, so that walking history never reads file data.
package enum BlockKind: UInt8, Sendable, CaseIterable {
  /// Chunks of files, recorded values.
  case data = 0
  /// Trees, chunk lists, snapshots.
  case meta = 1
}

/// Where a block lies in its pack, and how to unpack it.
package struct BlockRecord: Equatable, Sendable {
  package var kind: BlockKind
  package var codec: Codec
  /// Bytes when unpacked.
  package var rawLength: UInt32
  /// Bytes in the pack.
  package var storedLength: UInt32
  package var blobCount: UInt32
  /// From the start of the pack, in bytes.
  package var offset: UInt64
}

/// One blob in the table of contents; it starts where the one before it in the block ends.
package struct BlobRecord: Equatable, Sendable {
  package var id: ObjectID
  package var length: UInt32

  package init(id: ObjectID, length: UInt32) {
    self.id = id
    self.length = length
  }
}

package enum PackFormat {
  package static let header = Array("memento pack 1\n\0".utf8)
  package static let footerMagic = Array("mementoT".utf8)
  package static let blockRecordSize = 24
  package static let blobRecordSize = 36
  package static let footerSize = 56
  /// No block unpacks to more, bytes.
  package static let largestBlock = 1 << 25
  /// No table of contents is longer, bytes: 119 million blobs.
  package static let largestTable = 1 << 32

  package static func fileName(_ id: ObjectID) -> [UInt8] {
    Array("\(id).pack".utf8)
  }

  /// The id in a file name; nil when it is not the name of a pack.
  package static func id(fromFileName name: some Collection<UInt8>) -> ObjectID? {
    guard name.count == 69, name.suffix(5).elementsEqual(".pack".utf8) else { return nil }
    return ObjectID(name.prefix(64))
  }
}

/// The table of contents of a pack. Its SHA-256 is the pack's name: it names every blob by its content.
package struct TableOfContents: Equatable, Sendable {
  package var blocks: [BlockRecord] = []
  /// The blobs of all blocks, in the order of the blocks.
  package var blobs: [BlobRecord] = []

  package init() {}

  package func encoded() -> [UInt8] {
    var out = ByteWriter(
      capacity: 4 + blocks.count * PackFormat.blockRecordSize
        + blobs.count * PackFormat.blobRecordSize)
    out.u32(UInt32(blocks.count))
    for block in blocks {
      out.u8(block.kind.rawValue)
      out.u8(block.codec.rawValue)
      out.append([0, 0])
      out.u32(block.rawLength)
      out.u32(block.storedLength)
      out.u32(block.blobCount)
      out.u64(block.offset)
    }
    for blob in blobs {
      out.id(blob.id)
      out.u32(blob.length)
    }
    return out.bytes
  }

  /// Reads a table whose pack has its blocks in the first `blockEnd` bytes.
  package init(_ bytes: [UInt8], blockEnd: UInt64) throws(FormatError) {
    var reader = ByteReader(bytes)
    let blockCount = Int(try reader.u32())
    guard blockCount <= reader.remaining / PackFormat.blockRecordSize else {
      throw FormatError("it counts \(blockCount) blocks and has no room for them")
    }
    var blobCount = 0
    blocks.reserveCapacity(blockCount)
    for _ in 0..<blockCount {
      let block = try TableOfContents.block(&reader, blockEnd: blockEnd)
      blobCount += Int(block.blobCount)
      blocks.append(block)
    }
    guard reader.remaining == blobCount * PackFormat.blobRecordSize else {
      throw FormatError("it has \(reader.remaining) bytes for \(blobCount) blobs")
    }
    blobs.reserveCapacity(blobCount)
    for block in blocks {
      var total: UInt64 = 0
      for _ in 0..<block.blobCount {
        let blob = BlobRecord(id: try reader.id(), length: try reader.u32())
        total += UInt64(blob.length)
        blobs.append(blob)
      }
      guard total == UInt64(block.rawLength) else {
        throw FormatError("the blobs of a block do not fill it")
      }
    }
  }

  private static func block(
    _ reader: inout ByteReader, blockEnd: UInt64
  ) throws(FormatError) -> BlockRecord {
    guard let kind = BlockKind(rawValue: try reader.u8()) else {
      throw FormatError("a block of an unknown kind")
    }
    guard let codec = Codec(rawValue: try reader.u8()) else {
      throw FormatError("a block in an unknown compression")
    }
    try reader.skip(2)
    let block = BlockRecord(
      kind: kind, codec: codec, rawLength: try reader.u32(), storedLength: try reader.u32(),
      blobCount: try reader.u32(), offset: try reader.u64())
    let (end, overflow) = block.offset.addingReportingOverflow(UInt64(block.storedLength))
    guard block.rawLength <= PackFormat.largestBlock, block.storedLength <= PackFormat.largestBlock,
      !overflow, block.offset >= UInt64(PackFormat.header.count), end <= blockEnd,
      Int(block.blobCount) <= reader.remaining / PackFormat.blobRecordSize
    else { throw FormatError("a block lies outside of the pack") }
    return block
  }
}

extension TableOfContents {
  /// Reads the table at the end of an open pack and checks it against the pack's name.
  package init(of pack: borrowing Descriptor, named id: ObjectID) throws(StoreError) {
    let file = "packs/\(id.short)….pack"
    let size = try onFile("read", file) { () throws(Errno) in try pack.status().size }
    let footerSize = UInt64(PackFormat.footerSize)
    guard size >= UInt64(PackFormat.header.count) + footerSize else {
      throw .damaged(file: file, reason: "it is too short to be a pack")
    }
    let header = try onFile("read", file) { () throws(Errno) in
      try pack.bytes(at: 0, count: PackFormat.header.count)
    }
    guard header == PackFormat.header else {
      let found = String(decoding: header.prefix { $0 >= 0x20 }, as: UTF8.self)
      if found.hasPrefix("memento pack ") { throw .newerFormat(found: found) }
      throw .damaged(file: file, reason: "it does not begin as a pack")
    }
    let footer = try onFile("read", file) { () throws(Errno) in
      try pack.bytes(at: size - footerSize, count: PackFormat.footerSize)
    }
    do throws(FormatError) {
      var reader = ByteReader(footer)
      let offset = try reader.u64()
      let length = try reader.u64()
      let hash = try reader.id()
      let magic = try reader.take(PackFormat.footerMagic.count)
      let (end, overflow) = offset.addingReportingOverflow(length)
      guard magic == PackFormat.footerMagic, hash == id, !overflow, end == size - footerSize,
        let count = Int(exactly: length), count <= PackFormat.largestTable
      else { throw FormatError("its last bytes are not those of the pack of this name") }
      let bytes: [UInt8]
      do throws(Errno) {
        bytes = try pack.bytes(at: offset, count: count)
      } catch {
        throw FormatError(error.message)
      }
      guard bytes.count == count, ObjectID(hashing: bytes) == id else {
        throw FormatError("its table of contents does not match its name")
      }
      self = try TableOfContents(bytes, blockEnd: offset)
    } catch {
      throw .damaged(file: file, reason: error.reason)
    }
  }
}
