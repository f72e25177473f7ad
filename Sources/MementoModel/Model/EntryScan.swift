// Passes entries of a tree without decoding them. Whoever looks for one name among thousands, or for where two trees differ,
// needs no more than where each entry ends.

internal import MementoInode

/// A scan of the entries of one tree blob. See docs/format.md, "Trees".
struct EntryScan {
  private let bytes: UnsafeRawBufferPointer
  /// Where the next entry begins.
  private(set) var position: Int

  /// `bytes` must outlive the scan.
  init(_ bytes: UnsafeRawBufferPointer, from position: Int) {
    self.bytes = bytes
    self.position = position
  }

  /// Passes one entry, and returns the range of its name. Nil when the bytes are none, or end too early; the scan is of no
  /// use then. It accepts what `TreeEntryCodec.outline` does: nothing is told of the name and the attributes.
  mutating func pass() -> Range<Int>? {
    guard let first = byte(), let kind = FileKind(rawValue: first & ~TreeEntryCodec.attributesFlag), kind != .socket,
      let name = stretch(atMost: EntryName.longest), number(atMost: 0o7777) != nil, number(atMost: .max) != nil,
      number(atMost: .max) != nil, varint() != nil, number(atMost: 999_999_999) != nil, passContent(kind)
    else { return nil }
    if first & TreeEntryCodec.attributesFlag == 0 { return name }
    guard let count = varint(), count > 0, count <= UInt64(bytes.count - position) else { return nil }
    for _ in 0..<count {
      guard stretch(atMost: EntryName.longest) != nil, stretch(atMost: TreeEntryCodec.largestAttribute) != nil else {
        return nil
      }
    }
    return name
  }

  /// Whether the bytes of one name are before those of another.
  static func precedes(
    _ left: Range<Int>, _ right: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer
  ) -> Bool {
    UnsafeRawBufferPointer(rebasing: bytes[left]).lexicographicallyPrecedes(right)
  }

  @inline(__always) private mutating func passContent(_ kind: FileKind) -> Bool {
    switch kind {
    case .regular:
      guard let size = varint(), size <= UInt64(Int64.max), let level = byte(), level <= FileContent.highestLevel,
        (level == 0) == (size == 0)
      else { return false }
      return level == 0 || skip(ObjectID.size)
    case .directory:
      return skip(ObjectID.size)
    case .symbolicLink:
      guard let target = stretch(atMost: 4095), !target.isEmpty else { return false }
      return !bytes[target].contains(0)
    case .fifo:
      return true
    case .characterDevice, .blockDevice:
      return number(atMost: .max) != nil && number(atMost: .max) != nil
    case .socket:
      return false
    }
  }

  @inline(__always) private mutating func byte() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  @inline(__always) private mutating func skip(_ count: Int) -> Bool {
    guard count <= bytes.count - position else { return false }
    position += count
    return true
  }

  /// A varint and as many bytes.
  @inline(__always) private mutating func stretch(atMost limit: Int) -> Range<Int>? {
    guard let length = varint(), length <= UInt64(limit) else { return nil }
    let start = position
    return skip(Int(length)) ? start..<position : nil
  }

  @inline(__always) private mutating func number(atMost limit: UInt32) -> UInt64? {
    guard let value = varint(), value <= UInt64(limit) else { return nil }
    return value
  }

  /// As `ByteReader.varint`.
  @inline(__always) private mutating func varint() -> UInt64? {
    guard let first = byte() else { return nil }
    if first < 0x80 { return UInt64(first) }
    var result = UInt64(first & 0x7f)
    var shift: UInt64 = 7
    while let byte = byte() {
      let part = UInt64(byte & 0x7f)
      guard shift < 63 || (shift == 63 && part <= 1) else { return nil }
      result |= part << shift
      if byte & 0x80 == 0 { return byte == 0 ? nil : result }
      shift += 7
    }
    return nil
  }
}
