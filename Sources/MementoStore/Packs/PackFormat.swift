// The bytes of a pack: a header, blocks back to back, a table of contents, a footer. See docs/format.md.

/// The kind of the blobs in a block. A block holds one kind only, so that reading the history never reads file data.
package enum BlockKind: UInt8, Sendable, CaseIterable {
  /// Chunks of files, recorded values.
  case data = 0
  /// Trees, chunk lists, snapshots.
  case meta = 1
}

/// How the blobs of a block were chosen. Only gc asks for this; nobody needs it to read a block.
package struct Arrangement: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// As they came: in the order of a walk.
  package static let walk = Arrangement(rawValue: 0)
  /// The same, compressed anew by gc.
  package static let compressedWalk = Arrangement(rawValue: 1)
  /// Versions of a file or folder side by side.
  package static let versions = Arrangement(rawValue: 2)
}

/// Where a block lies in its pack, and how to unpack it.
package struct BlockRecord: Equatable, Sendable {
  package var kind: BlockKind
  package var codec: Codec
  /// Not known from an index table.
  package var arrangement = Arrangement.walk
  /// The size of the unpacked block in bytes.
  package var rawLength: UInt32
  /// The size of the block in the pack, in bytes.
  package var storedLength: UInt32
  package var blobCount: UInt32
  /// From the start of the pack, in bytes.
  package var offset: UInt64
}

/// The constants of the format.
package enum PackFormat {
  package static let header = Array("memento pack 1\n\0".utf8)
  package static let footerMagic = Array("mementoT".utf8)
  package static let blockRecordSize = 24
  package static let blobRecordSize = 36
  package static let footerSize = 56
  /// The maximum size of an unpacked block in bytes.
  package static let largestBlock = BlobLimit.largest
  /// The maximum size of a table of contents in bytes: 119 million blobs.
  package static let largestTable = 1 << 32
}

/// The table of contents of a pack. Its SHA-256 is the name of the pack, so the name depends on the ids of all blobs.
package struct TableOfContents: Equatable, Sendable {
  package var blocks: [BlockRecord] = []
  /// The blobs of all blocks, in the order of the blocks.
  package var blobs = BlobRecords()

  package init() {}

  init(_ blocks: [BlockRecord], _ blobs: BlobRecords) {
    self.blocks = blocks
    self.blobs = blobs
  }

  /// The bytes of the table.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    forEachPiece { bytes += $0 }
    return bytes
  }

  /// The approximate size of a piece in bytes.
  private static let pieceSize = 1 << 20

  /// Calls `body` with the bytes of the table, in order and in pieces. A small table is one piece.
  func forEachPiece<Failure: Error>(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    let size = 4 + blocks.count * PackFormat.blockRecordSize + blobs.count * PackFormat.blobRecordSize
    var out = ByteWriter(capacity: min(size, TableOfContents.pieceSize + PackFormat.blobRecordSize))
    func passOn() throws(Failure) {
      try body(out.bytes)
      out.bytes.removeAll(keepingCapacity: true)
    }
    out.u32(UInt32(blocks.count))
    for block in blocks {
      out.u8(block.kind.rawValue)
      out.u8(block.codec.rawValue)
      out.append([block.arrangement.rawValue, 0])
      out.u32(block.rawLength)
      out.u32(block.storedLength)
      out.u32(block.blobCount)
      out.u64(block.offset)
      if out.bytes.count >= TableOfContents.pieceSize { try passOn() }
    }
    for blob in blobs {
      out.id(blob.id)
      out.u32(blob.length)
      if out.bytes.count >= TableOfContents.pieceSize { try passOn() }
    }
    if !out.bytes.isEmpty { try passOn() }
  }
}
