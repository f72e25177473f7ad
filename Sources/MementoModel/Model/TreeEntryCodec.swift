// Encodes and decodes an entry. See docs/format.md, "tree".

internal import MementoInode
internal import MementoTime

/// A decoded entry without copies of its name and attributes. Decoding it allocates no memory for them, and it has all
/// that a comparison needs.
package struct EntryOutline {
  /// The range of the name in the bytes.
  package let name: Range<Int>
  /// The metadata without the attributes.
  package let metadata: FileMetadata
  package let content: EntryContent
  /// The range of the attributes in the bytes. Empty when there are none.
  package let attributes: Range<Int>
}

/// The codec of entries.
package enum TreeEntryCodec {
  /// Bit 7 of the first byte says that extended attributes follow.
  static let attributesFlag: UInt8 = 0x80
  static let largestAttribute = 1 << 24

  /// Appends the bytes of an entry.
  package static func encode(_ entry: TreeEntry, into out: inout ByteWriter) {
    let metadata = entry.metadata
    out.u8(entry.content.kind.rawValue | (metadata.attributes.isEmpty ? 0 : attributesFlag))
    out.varint(UInt64(entry.name.count))
    out.append(entry.name)
    out.varint(UInt64(metadata.permissions))
    out.varint(UInt64(metadata.user))
    out.varint(UInt64(metadata.group))
    out.signedVarint(metadata.modified.seconds)
    out.varint(UInt64(metadata.modified.nanoseconds))
    switch entry.content {
    case .file(let size, let content):
      out.varint(size)
      out.u8(content.level)
      if content.level > 0 { out.id(content.id) }
    case .directory(let tree):
      out.id(tree)
    case .symbolicLink(let target):
      out.varint(UInt64(target.count))
      out.append(target)
    case .fifo:
      break
    case .characterDevice(let major, let minor), .blockDevice(let major, let minor):
      out.varint(UInt64(major))
      out.varint(UInt64(minor))
    }
    if metadata.attributes.isEmpty { return }
    out.varint(UInt64(metadata.attributes.count))
    for attribute in metadata.attributes {
      out.varint(UInt64(attribute.name.count))
      out.append(attribute.name)
      out.varint(UInt64(attribute.value.count))
      out.append(attribute.value)
    }
  }

  /// Decodes an entry. Throws when it is not valid.
  package static func decode(_ reader: inout ByteReader) throws(FormatError) -> TreeEntry {
    let outline = try checkedOutline(&reader)
    return TreeEntry(name: Array(reader.bytes[outline.name]), metadata: outline.metadata, content: outline.content)
  }

  /// Decodes an entry with its attributes, without copying its name. Throws when it is not valid.
  package static func checkedOutline(_ reader: inout ByteReader) throws(FormatError) -> EntryOutline {
    let outline = try outline(&reader)
    let refusal = reader.bytes.withUnsafeBytes { bytes in
      EntryName.refusal(UnsafeRawBufferPointer(rebasing: bytes[outline.name]))
    }
    if let refusal { throw FormatError("an entry with \(refusal)") }
    if outline.attributes.isEmpty { return outline }
    var attributes = try ByteReader(reader.bytes, in: outline.attributes)
    var metadata = outline.metadata
    metadata.attributes = try TreeEntryCodec.attributes(&attributes)
    return EntryOutline(
      name: outline.name, metadata: metadata, content: outline.content, attributes: outline.attributes)
  }

  /// Decodes an entry without copying its name and attributes. It does not check these, either. Throws when the rest is
  /// not valid.
  package static func outline(_ reader: inout ByteReader) throws(FormatError) -> EntryOutline {
    let first = try reader.u8()
    guard let kind = FileKind(rawValue: first & ~attributesFlag), kind != .socket else {
      throw FormatError("an entry of an unknown kind")
    }
    let nameLength = try reader.count(atMost: EntryName.longest)
    let name = reader.position..<reader.position + nameLength
    try reader.skip(nameLength)
    let metadata = FileMetadata(
      permissions: try number(&reader, atMost: 0o7777), user: try number(&reader, atMost: .max),
      group: try number(&reader, atMost: .max),
      modified: Timestamp(
        seconds: try reader.signedVarint(), nanoseconds: try number(&reader, atMost: 999_999_999)))
    let content = try content(kind, &reader)
    let start = reader.position
    if first & attributesFlag != 0 {
      let count = try reader.count(atMost: reader.remaining)
      guard count > 0 else { throw FormatError("an empty list of attributes") }
      for _ in 0..<count {
        try reader.skip(try reader.count(atMost: EntryName.longest))
        try reader.skip(try reader.count(atMost: largestAttribute))
      }
    }
    return EntryOutline(name: name, metadata: metadata, content: content, attributes: start..<reader.position)
  }

  private static func content(
    _ kind: FileKind, _ reader: inout ByteReader
  ) throws(FormatError) -> EntryContent {
    switch kind {
    case .regular:
      let size = try reader.varint()
      guard size <= UInt64(Int64.max) else { throw FormatError("a file size past 2^63") }
      let level = try reader.u8()
      guard level <= FileContent.highestLevel else { throw FormatError("a chunk list that is too high") }
      guard (level == 0) == (size == 0) else { throw FormatError("a size that does not fit the content") }
      return .file(size: size, level == 0 ? .empty : FileContent(level: level, id: try reader.id()))
    case .directory:
      return .directory(try reader.id())
    case .symbolicLink:
      let length = try reader.count(atMost: 4095)
      let target = try reader.take(length)
      guard !target.isEmpty, !target.contains(0) else { throw FormatError("a link without a usable target") }
      return .symbolicLink(target)
    case .fifo:
      return .fifo
    case .characterDevice:
      return .characterDevice(major: try number(&reader, atMost: .max), minor: try number(&reader, atMost: .max))
    case .blockDevice:
      return .blockDevice(major: try number(&reader, atMost: .max), minor: try number(&reader, atMost: .max))
    case .socket:
      throw FormatError("an entry of an unknown kind")
    }
  }

  private static func attributes(_ reader: inout ByteReader) throws(FormatError) -> [ExtendedAttribute] {
    var result: [ExtendedAttribute] = []
    for _ in 0..<(try reader.count(atMost: reader.remaining)) {
      let nameLength = try reader.count(atMost: EntryName.longest)
      let name = try reader.take(nameLength)
      guard !name.isEmpty, !name.contains(0) else { throw FormatError("an attribute without a usable name") }
      if let last = result.last, !last.name.lexicographicallyPrecedes(name) {
        throw FormatError("attributes that are not sorted")
      }
      let valueLength = try reader.count(atMost: largestAttribute)
      result.append(ExtendedAttribute(name: name, value: try reader.take(valueLength)))
    }
    return result
  }

  private static func number(_ reader: inout ByteReader, atMost limit: UInt32) throws(FormatError) -> UInt32 {
    let value = try reader.varint()
    guard value <= UInt64(limit) else { throw FormatError("a number of \(value) where \(limit) is the most") }
    return UInt32(value)
  }
}
