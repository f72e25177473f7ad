// The bytes of a parity file: pieces, a table that says what they are and what every sector of the pack must be, a
// footer. See docs/format.md.

/// A stretch of a parity file.
struct ParityPiece: Equatable, Sendable {
  enum Kind: UInt8, Sendable {
    /// A copy of bytes of the pack.
    case copy = 0
    /// For each group of sectors, the XOR of all of them.
    case parity = 1
  }

  var kind: Kind
  /// For parity: the number of groups. Sector number i of those that the piece covers is in group i modulo this.
  var groups: Int
  /// What it covers: from where in the pack, and how many bytes.
  var begin: UInt64
  var length: UInt64
  /// The XXH64 of the bytes of the piece.
  var checksum: UInt64

  /// The size of the piece in bytes.
  var size: UInt64 { kind == .copy ? length : UInt64(groups) * UInt64(ParityFormat.sector) }
  var end: UInt64 { begin + length }
}

enum ParityFormat {
  static let header = Array("memento par 1\n\0\0".utf8)
  static let footerMagic = Array("mementoP".utf8)
  static let footerSize = 56
  static let pieceSize = 32
  /// The size of a sector in bytes. Damage is found and healed by sectors.
  static let sector = 4096
  /// The most groups of a piece of parity. A power of two, so that fewer groups can be made of them.
  static let groups = 64
  /// The most groups of a piece that a reader accepts.
  static let mostGroups = 1 << 14
  /// Packs up to this size, in bytes, are copied whole.
  static let smallPack = 256 << 10
  /// The maximum size of a table in bytes.
  static let largestTable = 64 << 20

  static func sectors(_ size: UInt64) -> UInt64 { size / UInt64(sector) + (size % UInt64(sector) == 0 ? 0 : 1) }

  /// The number of groups for so many sectors.
  static func groups(for sectors: Int, inGroup most: Int) -> Int {
    // Two at least: a lost run of one sector may lie in two of them.
    var count = min(2, groups)
    while count < groups, count * most < sectors { count *= 2 }
    return count
  }
}

/// What a parity file says of its pack.
struct ParityTable: Equatable, Sendable {
  /// The size of the pack in bytes.
  var size: UInt64
  /// The pieces, back to back from the end of the header.
  var pieces: [ParityPiece]
  /// The checksum of every sector of the pack. The last sector counts as filled up with zeros.
  var checksums: [UInt32]

  func encoded() -> [UInt8] {
    var out = ByteWriter(capacity: 16 + pieces.count * ParityFormat.pieceSize + checksums.count * 4)
    out.u64(size)
    out.u32(UInt32(ParityFormat.sector))
    out.u32(UInt32(pieces.count))
    for piece in pieces {
      out.u8(piece.kind.rawValue)
      out.append([0, 0, 0])
      out.u32(UInt32(piece.groups))
      out.u64(piece.begin)
      out.u64(piece.length)
      out.u64(piece.checksum)
    }
    for checksum in checksums { out.u32(checksum) }
    return out.bytes
  }

  /// `room`: how many bytes the pieces have.
  init(_ bytes: [UInt8], room: UInt64) throws(FormatError) {
    var reader = ByteReader(bytes)
    size = try reader.u64()
    guard try reader.u32() == UInt32(ParityFormat.sector) else { throw FormatError("sectors of an unknown size") }
    let count = Int(try reader.u32())
    let sectors = ParityFormat.sectors(size)
    guard sectors <= UInt64(ParityFormat.largestTable / 4),
      count * ParityFormat.pieceSize + Int(sectors) * 4 == reader.remaining
    else { throw FormatError("it has another number of sectors") }
    pieces = []
    pieces.reserveCapacity(count)
    var used: UInt64 = 0
    for _ in 0..<count {
      let piece = try ParityTable.piece(&reader, of: size)
      let (sum, overflow) = used.addingReportingOverflow(piece.size)
      guard !overflow, sum <= room else { throw .truncated }
      used = sum
      pieces.append(piece)
    }
    guard used == room else { throw FormatError("bytes follow the last piece") }
    checksums = []
    checksums.reserveCapacity(Int(sectors))
    for _ in 0..<sectors { checksums.append(try reader.u32()) }
  }

  init(size: UInt64, pieces: [ParityPiece], checksums: [UInt32]) {
    self.size = size
    self.pieces = pieces
    self.checksums = checksums
  }

  private static func piece(_ reader: inout ByteReader, of size: UInt64) throws(FormatError) -> ParityPiece {
    guard let kind = ParityPiece.Kind(rawValue: try reader.u8()) else {
      throw FormatError("a piece of an unknown kind")
    }
    try reader.skip(3)
    let piece = ParityPiece(
      kind: kind, groups: Int(try reader.u32()), begin: try reader.u64(), length: try reader.u64(),
      checksum: try reader.u64())
    let (end, overflow) = piece.begin.addingReportingOverflow(piece.length)
    guard !overflow, end <= size, piece.length > 0 else { throw FormatError("a piece lies outside of the pack") }
    if kind == .parity {
      guard (1...ParityFormat.mostGroups).contains(piece.groups), piece.begin % UInt64(ParityFormat.sector) == 0 else {
        throw FormatError("a piece of parity that is not of whole sectors")
      }
    }
    return piece
  }
}
