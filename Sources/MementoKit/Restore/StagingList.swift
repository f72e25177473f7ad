// The file `list` of a staging folder. It records which path each number stands for. After a kill, recovery uses it to
// tell files that somebody has changed from files that can be removed.

internal import MementoStore
internal import MementoSystem

struct StagingList: Sendable {
  struct Item: Sendable {
    var path: BytePath
    /// The entry that was expected in the place of the item.
    var old: TreeEntry?
  }

  /// When the walk began that has seen the old entries.
  var begun: Timestamp
  var target: ObjectID
  /// The snapshot of the guard; nil with `--discard`.
  var before: ObjectID?
  var items: [Int: Item] = [:]

  private static let header = Array("memento staging 1\n".utf8)
  private static let pieceSize = 1 << 20
  private static let directoryTag: UInt8 = 0
  private static let nameTag: UInt8 = 1
  private static let entryTag: UInt8 = 2

  // MARK: Writing

  /// Writes the list of all files that the restore puts into the staging folder or moves there from the working folder.
  func write(_ plan: RestorePlan, into folder: borrowing Descriptor) throws(Errno) {
    let file = try folder.open(StagedName.list, .create)
    var out = ByteWriter(capacity: StagingList.pieceSize + 4096)
    out.signedVarint(begun.seconds)
    out.varint(UInt64(begun.nanoseconds))
    out.id(target)
    out.id(before ?? .zero)
    try file.write(StagingList.header)
    var directory = -1
    var items = plan.items.reader(.content)
    while let item = try items.next() {
      if item.directory != directory {
        directory = item.directory
        let path = plan.path(of: directory)
        out.u8(StagingList.directoryTag)
        out.varint(UInt64(path.count))
        out.append(path)
      }
      if let old = item.old {
        out.u8(StagingList.entryTag)
        out.varint(UInt64(item.number))
        TreeEntryCodec.encode(old, into: &out)
      } else {
        out.u8(StagingList.nameTag)
        out.varint(UInt64(item.number))
        out.varint(UInt64(item.name.count))
        out.append(item.name)
      }
      if out.bytes.count >= StagingList.pieceSize { try StagingList.flush(&out, file) }
    }
    if !out.bytes.isEmpty { try StagingList.flush(&out, file) }
    // An empty piece marks the end.
    try StagingList.flush(&out, file)
    try file.finish()
  }

  private static func flush(_ out: inout ByteWriter, _ file: borrowing Descriptor) throws(Errno) {
    var piece = ByteWriter(capacity: out.bytes.count + 8)
    piece.u32(UInt32(out.bytes.count))
    piece.u32(crc32(out.bytes))
    piece.append(out.bytes)
    try file.write(piece.bytes)
    out.bytes.removeAll(keepingCapacity: true)
  }

  // MARK: Reading

  /// Reads the list of a staging folder; nil when there is none. Throws `.badMessage` when it is damaged.
  static func read(from folder: borrowing Descriptor) throws(Errno) -> StagingList? {
    let bytes: [UInt8]
    do throws(Errno) {
      let file = try folder.open(StagedName.list, .read)
      guard try file.status().isRegular else { throw .badMessage }
      bytes = try file.contents(limit: .max)
    } catch {
      if error == .notFound { return nil }
      throw error
    }
    guard bytes.starts(with: header) else { throw .badMessage }
    do throws(FormatError) {
      return try decode(pieces(bytes))
    } catch {
      throw .badMessage
    }
  }

  private static func pieces(_ bytes: [UInt8]) throws(FormatError) -> [UInt8] {
    var reader = try ByteReader(bytes, in: header.count..<bytes.count)
    var body: [UInt8] = []
    while true {
      let length = Int(try reader.u32())
      let sum = try reader.u32()
      let piece = try reader.take(length)
      guard crc32(piece) == sum else { throw FormatError("its checksum does not match") }
      if piece.isEmpty { return body }
      body += piece
    }
  }

  private static func decode(_ body: [UInt8]) throws(FormatError) -> StagingList {
    var reader = ByteReader(body)
    let seconds = try reader.signedVarint()
    let begun = Timestamp(seconds: seconds, nanoseconds: UInt32(try reader.count(atMost: 999_999_999)))
    let target = try reader.id()
    let before = try reader.id()
    var list = StagingList(begun: begun, target: target, before: before == .zero ? nil : before)
    var directory = BytePath("")
    while !reader.isAtEnd {
      let tag = try reader.u8()
      if tag == directoryTag {
        directory = BytePath(try reader.take(try reader.count(atMost: reader.remaining)))
        continue
      }
      let index = try reader.count(atMost: .max)
      switch tag {
      case entryTag:
        let old = try TreeEntryCodec.decode(&reader)
        list.items[index] = Item(path: directory.appending(old.name), old: old)
      case nameTag:
        let name = try reader.take(try reader.count(atMost: EntryName.longest))
        list.items[index] = Item(path: directory.appending(name))
      default: throw FormatError("an unknown kind of line")
      }
    }
    return list
  }
}
