// Checks a whole pack, without the index: does its content match its name, and is every blob intact?

internal import MementoSystem

enum PackCheck {
  /// Reads the table of contents and checks it against the name of the pack. Throws when it is damaged or cannot be
  /// read.
  static func contents(_ file: PackReader, named id: ObjectID) throws(StoreError) -> PackContents {
    let contents = try TableOfContents(of: file, named: id)
    let size = try onFile("read", path(id)) { () throws(Errno) in try file.size() }
    return PackContents(id: id, size: size, contents: contents)
  }

  /// Reads every block and compares every blob with its id. Throws at the first one that differs. Calls `visit` with
  /// each block that is whole, and the bytes that are stored of it.
  static func readBlobs(
    _ file: PackReader, of pack: PackContents,
    _ visit: (BlockRecord, _ stored: [UInt8]) throws(StoreError) -> Void = { _, _ in }
  ) throws(StoreError) {
    let path = path(pack.id)
    let decompressor = Decompressor()
    var block: [UInt8] = []
    var blob = 0
    for record in pack.contents.blocks {
      let stored = try onFile("read", path) { () throws(Errno) in
        try file.bytes(at: record.offset, count: Int(record.storedLength))
      }
      let rawLength = Int(record.rawLength)
      if block.count < rawLength { block = [UInt8](repeating: 0, count: rawLength) }
      let fits = stored.withUnsafeBytes { stored in
        block.withUnsafeMutableBytes {
          decompressor.unpack(record.codec, stored, into: UnsafeMutableRawBufferPointer(rebasing: $0[..<rawLength]))
        }
      }
      guard stored.count == Int(record.storedLength), fits else {
        throw .damaged(file: path, reason: "the block at byte \(record.offset) cannot be unpacked")
      }
      let blobs = blob..<blob + Int(record.blobCount)
      let found = block.withUnsafeBytes { block in
        ObjectID.hashing(partsOf: block, blobs.lazy.map { Int(pack.contents.blobs[$0].length) })
      }
      for (number, id) in zip(blobs, found) where id != pack.contents.blobs[number].id {
        let expected = pack.contents.blobs[number].id
        throw .damaged(file: path, reason: "blob \(expected.short) is not what its name says")
      }
      blob = blobs.upperBound
      try visit(record, stored)
    }
  }

  private static func path(_ id: ObjectID) -> String { "packs/\(id.short)….pack" }
}
