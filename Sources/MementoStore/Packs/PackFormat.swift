// The bytes of a pack: a header, blocks back to back, a table of contents, a footer. See docs/format.md.

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
  package static let largestBlock = BlobLimit.largest
  /// No table of contents is longer, bytes: 119 million blobs.
  package static let largestTable = 1 << 32
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
}
