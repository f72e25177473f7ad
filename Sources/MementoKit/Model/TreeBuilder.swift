// Entries, in order, to tree blobs. A large folder becomes several: cut where the names say so, so that one more file
// changes one piece, not all of them.

internal import MementoStore

/// The form of tree blobs.
enum TreeFormat {
  static let tag = UInt8(ascii: "T")
  /// A piece is never cut before it has this many bytes.
  static let smallestPiece = 32 << 10
  /// A piece is always cut once it has this many bytes.
  static let largestPiece = 128 << 10
  /// Pieces of pieces, at most; a folder of 2^32 entries needs 4.
  static let highestLevel: UInt8 = 8
  /// A node is never cut before it has this many children, and always at 16 times as many.
  static let smallestNode = 64
  static let largestNode = 1024
  /// The tree of a folder without entries.
  static let empty = ObjectID(hashing: [tag, 0, 0])
}

/// A child of an inner tree node.
struct TreeChild: Equatable, Sendable {
  /// The first name below it.
  var firstName: [UInt8]
  var id: ObjectID
}

/// Builds the tree of one directory.
struct TreeBuilder: ~Copyable {
  private var piece = ByteWriter()
  private var count = 0
  private var firstName: [UInt8] = []
  /// Children by level, from the pieces up.
  private var levels: [[TreeChild]] = []

  /// Adds an encoded entry; names come in the order of their bytes.
  mutating func append(
    name: UnsafeBufferPointer<UInt8>, encoded: UnsafeRawBufferPointer, to writer: ObjectWriter
  ) throws(StoreError) {
    if count == 0 { firstName = Array(name) }
    piece.append(encoded)
    count += 1
    if piece.bytes.count >= TreeFormat.smallestPiece,
      piece.bytes.count >= TreeFormat.largestPiece || TreeBuilder.isCut(after: name)
    {
      try closePiece(writer)
    }
  }

  /// One name in 64 ends a piece; which ones depends on nothing but the name (FNV-1a, 64 bits, high bits).
  private static func isCut(after name: UnsafeBufferPointer<UInt8>) -> Bool {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash >> 58 == 0
  }

  /// The id of the whole tree.
  mutating func finish(_ writer: ObjectWriter) throws(StoreError) -> ObjectID {
    if levels.isEmpty || count > 0 { try closePiece(writer) }
    var level = 0
    while level < levels.count {
      if levels[level].count == 1, level == levels.count - 1 { return levels[level][0].id }
      if !levels[level].isEmpty { try closeNode(level, writer) }
      level += 1
    }
    return levels[levels.count - 1][0].id
  }

  private mutating func closePiece(_ writer: ObjectWriter) throws(StoreError) {
    var out = ByteWriter(capacity: piece.bytes.count + 8)
    out.u8(TreeFormat.tag)
    out.u8(0)
    out.varint(UInt64(count))
    out.append(piece.bytes)
    let id = try writer.storeMeta(out.bytes)
    try add(TreeChild(firstName: firstName, id: id), toLevel: 0, writer)
    piece.bytes.removeAll(keepingCapacity: true)
    count = 0
  }

  private mutating func add(_ child: TreeChild, toLevel level: Int, _ writer: ObjectWriter) throws(StoreError) {
    if level == levels.count { levels.append([]) }
    levels[level].append(child)
    let isCut = levels[level].count >= TreeFormat.smallestNode && child.id.words.3 & 0x7f == 0
    if isCut || levels[level].count >= TreeFormat.largestNode { try closeNode(level, writer) }
  }

  private mutating func closeNode(_ level: Int, _ writer: ObjectWriter) throws(StoreError) {
    let children = levels[level]
    levels[level] = []
    var out = ByteWriter()
    out.u8(TreeFormat.tag)
    out.u8(UInt8(level + 1))
    out.varint(UInt64(children.count))
    for child in children {
      out.varint(UInt64(child.firstName.count))
      out.append(child.firstName)
      out.id(child.id)
    }
    let id = try writer.storeMeta(out.bytes)
    try add(TreeChild(firstName: children[0].firstName, id: id), toLevel: level + 1, writer)
  }
}
