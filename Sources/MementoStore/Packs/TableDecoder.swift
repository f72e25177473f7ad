// Decodes a table of contents piece by piece and checks each record before the next. A pack may be a hole of gigabytes
// with a few bytes around it. So the decoder reserves memory only for bytes that it has got, not for the length that a
// footer states.

internal import MementoSystem

/// Decodes the bytes of a table, which are added in order and in pieces of any length.
struct TableDecoder {
  private let length: UInt64
  private let blockEnd: UInt64
  private var read: UInt64 = 0
  /// Bytes that are not yet a whole record.
  private var rest: [UInt8] = []
  private var blockCount: Int?
  private var table = TableOfContents()
  private var blobCount: UInt64 = 0
  /// Where the last block ends. Blocks follow each other without overlap.
  private var end = UInt64(PackFormat.header.count)
  /// The block whose blobs are being read, how many of its blobs are still missing, and the bytes of its blobs so far.
  private var block = 0
  private var due = 0
  private var bytes: UInt64 = 0

  /// `length`: the size of the table in bytes. `blockEnd`: where the blocks of the pack end, in bytes from its start.
  init(length: UInt64, blockEnd: UInt64) {
    self.length = length
    self.blockEnd = blockEnd
  }

  /// Adds the next bytes of the table. Throws at the first record that is not valid.
  mutating func add(_ piece: [UInt8]) throws(FormatError) {
    read += UInt64(piece.count)
    var reader = ByteReader(rest.isEmpty ? piece : rest + piece)
    if blockCount == nil, reader.remaining >= 4 { try begin(Int(try reader.u32())) }
    if let blockCount {
      while table.blocks.count < blockCount, reader.remaining >= PackFormat.blockRecordSize {
        try addBlock(&reader)
        if table.blocks.count == blockCount { try checkBlobs() }
      }
      if table.blocks.count == blockCount {
        while reader.remaining >= PackFormat.blobRecordSize { try addBlob(&reader) }
      }
    }
    rest = Array(reader.bytes[reader.position..<reader.end])
  }

  /// Returns the table when all its bytes were added. Throws when some are missing.
  consuming func finish() throws(FormatError) -> TableOfContents {
    guard read == length, rest.isEmpty, let blockCount, table.blocks.count == blockCount else { throw .truncated }
    try closeBlocks()
    guard block == table.blocks.count else { throw .truncated }
    return table
  }

  private mutating func begin(_ count: Int) throws(FormatError) {
    guard UInt64(count) * UInt64(PackFormat.blockRecordSize) + 4 <= length else {
      throw FormatError("it counts \(count) blocks and has no room for them")
    }
    blockCount = count
    if count == 0 { try checkBlobs() }
  }

  /// Checks that the blobs of all blocks fill the rest of the table exactly.
  private func checkBlobs() throws(FormatError) {
    let room = length - 4 - UInt64(table.blocks.count * PackFormat.blockRecordSize)
    let (size, overflow) = blobCount.multipliedReportingOverflow(by: UInt64(PackFormat.blobRecordSize))
    guard !overflow, size == room else { throw FormatError("it has \(room) bytes for \(blobCount) blobs") }
  }

  private mutating func addBlock(_ reader: inout ByteReader) throws(FormatError) {
    guard let kind = BlockKind(rawValue: try reader.u8()) else { throw FormatError("a block of an unknown kind") }
    guard let codec = Codec(rawValue: try reader.u8()) else {
      throw FormatError("a block in an unknown compression")
    }
    let arrangement = Arrangement(rawValue: try reader.u8())
    // Every version has written a zero here.
    guard try reader.u8() == 0 else { throw FormatError("a block of an unknown form") }
    let record = BlockRecord(
      kind: kind, codec: codec, arrangement: arrangement, rawLength: try reader.u32(), storedLength: try reader.u32(),
      blobCount: try reader.u32(), offset: try reader.u64())
    let (last, overflow) = record.offset.addingReportingOverflow(UInt64(record.storedLength))
    guard record.rawLength <= PackFormat.largestBlock, record.storedLength <= PackFormat.largestBlock,
      !overflow, record.offset >= end, last <= blockEnd
    else { throw FormatError("a block lies outside of its place in the pack") }
    end = last
    blobCount += UInt64(record.blobCount)
    table.blocks.append(record)
    if table.blocks.count == 1 { due = Int(record.blobCount) }
  }

  private mutating func addBlob(_ reader: inout ByteReader) throws(FormatError) {
    try closeBlocks()
    guard block < table.blocks.count else { throw FormatError("bytes follow the last blob") }
    let blob = BlobRecord(id: try reader.id(), length: try reader.u32())
    // A record of zeros comes from a hole in the file.
    guard blob.id != .zero else { throw FormatError("a blob without an id") }
    bytes += UInt64(blob.length)
    due -= 1
    table.blobs.append(blob)
  }

  /// Moves on from blocks whose blobs have all been read.
  private mutating func closeBlocks() throws(FormatError) {
    while block < table.blocks.count, due == 0 {
      guard bytes == UInt64(table.blocks[block].rawLength) else {
        throw FormatError("the blobs of a block do not fill it")
      }
      block += 1
      bytes = 0
      due = block < table.blocks.count ? Int(table.blocks[block].blobCount) : 0
    }
  }
}

extension TableOfContents {
  /// Decodes a table. `blockEnd`: where the blocks of its pack end, in bytes from the start of the pack.
  package init(_ bytes: [UInt8], blockEnd: UInt64) throws(FormatError) {
    var decoder = TableDecoder(length: UInt64(bytes.count), blockEnd: blockEnd)
    try decoder.add(bytes)
    self = try decoder.finish()
  }

  /// How many bytes are read at once.
  private static let piece = 1 << 20

  /// Reads the table at the end of an open pack and checks it against the name of the pack. Throws `.newerFormat` for a
  /// pack of a later version, and `.damaged` when the pack is not valid or its table cannot be read.
  package init(of pack: PackReader, named id: ObjectID) throws(StoreError) {
    let file = "packs/\(id.short)….pack"
    let size = try onFile("read", file) { () throws(Errno) in try pack.size() }
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
    let offset: UInt64
    let length: UInt64
    do throws(FormatError) {
      var reader = ByteReader(footer)
      offset = try reader.u64()
      length = try reader.u64()
      let hash = try reader.id()
      let magic = try reader.take(PackFormat.footerMagic.count)
      let (end, overflow) = offset.addingReportingOverflow(length)
      guard magic == PackFormat.footerMagic, hash == id, !overflow, end == size - footerSize,
        length <= PackFormat.largestTable
      else { throw FormatError("its last bytes are not those of the pack of this name") }
    } catch {
      throw .damaged(file: file, reason: error.reason)
    }
    self = try TableOfContents.read(pack, file, at: offset, length: length, named: id)
  }

  private static func read(
    _ pack: PackReader, _ file: String, at offset: UInt64, length: UInt64, named id: ObjectID
  ) throws(StoreError) -> TableOfContents {
    var decoder = TableDecoder(length: length, blockEnd: offset)
    var hasher = ContentHasher()
    var done: UInt64 = 0
    while done < length {
      let count = Int(min(length - done, UInt64(piece)))
      let bytes: [UInt8]
      do throws(Errno) {
        bytes = try pack.bytes(at: offset + done, count: count)
      } catch {
        throw .damaged(file: file, reason: error.message)
      }
      hasher.update(bytes)
      done += UInt64(count)
      do throws(FormatError) {
        guard bytes.count == count else { throw .truncated }
        try decoder.add(bytes)
      } catch {
        throw .damaged(file: file, reason: "its table of contents: \(error.reason)")
      }
    }
    guard hasher.finish() == id else {
      throw .damaged(file: file, reason: "its table of contents does not match its name")
    }
    do throws(FormatError) {
      return try decoder.finish()
    } catch {
      throw .damaged(file: file, reason: error.reason)
    }
  }
}
