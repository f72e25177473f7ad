// Builds tree blobs from sorted entries. The tree of a large folder has several pieces. Names decide where it is cut,
// so one more file changes only one piece.

/// The constants of tree blobs.
package enum TreeFormat {
  package static let tag = UInt8(ascii: "T")
  /// A piece is never cut before it has this many bytes.
  static let smallestPiece = 32 << 10
  /// A piece is always cut once it has this many bytes.
  static let largestPiece = 128 << 10
  /// The largest height of a tree. A folder of 2^32 entries needs 4.
  static let highestLevel: UInt8 = 8
  /// A node is never cut before it has this many children.
  package static let smallestNode = 64
  /// A node is always cut once it has this many children.
  package static let largestNode = 1024
  /// The tree of a folder without entries.
  package static let empty = ObjectID(hashing: [tag, 0, 0])
}

/// A child of an inner tree node.
package struct TreeChild: Equatable, Sendable {
  /// The first name in it.
  package var firstName: [UInt8]
  package var id: ObjectID

  package init(firstName: [UInt8], id: ObjectID) {
    self.firstName = firstName
    self.id = id
  }
}

/// Builds the tree of one directory.
package struct TreeBuilder: ~Copyable {
  private var piece = ByteWriter()
  package var count = 0
  package var firstName: [UInt8] = []
  /// The children that are not yet in a node, by level. Level 0 has the pieces.
  package var levels: [[TreeChild]] = []

  package init() {}

  /// Adds an encoded entry. The caller adds entries in the order of their names' bytes. Throws when a blob cannot be
  /// stored.
  @inlinable package mutating func append<Sink: BlobSink>(
    name: UnsafeBufferPointer<UInt8>, encoded: UnsafeRawBufferPointer, to writer: Sink
  ) throws(Sink.Failure) {
    if add(name, encoded) { try closePiece(writer) }
  }

  /// Adds an entry to the piece. Returns whether the piece must be closed.
  package mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ encoded: UnsafeRawBufferPointer) -> Bool {
    if count == 0 { firstName = Array(name) }
    piece.append(encoded)
    count += 1
    return piece.bytes.count >= TreeFormat.smallestPiece
      && (piece.bytes.count >= TreeFormat.largestPiece || TreeBuilder.isCut(after: name))
  }

  /// Whether a piece ends after this name. One name in 64 does, decided by the name alone (FNV-1a, 64 bits, the highest
  /// bits).
  private static func isCut(after name: UnsafeBufferPointer<UInt8>) -> Bool {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash >> 58 == 0
  }

  /// Stores the rest and returns the id of the whole tree. Throws when a blob cannot be stored.
  @inlinable package mutating func finish<Sink: BlobSink>(_ writer: Sink) throws(Sink.Failure) -> ObjectID {
    if levels.isEmpty || count > 0 { try closePiece(writer) }
    var level = 0
    while level < levels.count {
      if levels[level].count == 1, level == levels.count - 1 { return levels[level][0].id }
      if !levels[level].isEmpty { try closeNode(level, writer) }
      level += 1
    }
    return levels[levels.count - 1][0].id
  }

  @inlinable package mutating func closePiece<Sink: BlobSink>(_ writer: Sink) throws(Sink.Failure) {
    let id = try writer.storeMeta(takePiece())
    try add(TreeChild(firstName: firstName, id: id), toLevel: 0, writer)
  }

  /// Returns the bytes of the piece and begins the next one.
  package mutating func takePiece() -> [UInt8] {
    var out = ByteWriter(capacity: piece.bytes.count + 8)
    out.u8(TreeFormat.tag)
    out.u8(0)
    out.varint(UInt64(count))
    out.append(piece.bytes)
    piece.bytes.removeAll(keepingCapacity: true)
    count = 0
    return out.bytes
  }

  @inlinable package mutating func add<Sink: BlobSink>(
    _ child: TreeChild, toLevel level: Int, _ writer: Sink
  ) throws(Sink.Failure) {
    if level == levels.count { levels.append([]) }
    levels[level].append(child)
    let isCut = levels[level].count >= TreeFormat.smallestNode && child.id.words.3 & 0x7f == 0
    if isCut || levels[level].count >= TreeFormat.largestNode { try closeNode(level, writer) }
  }

  @inlinable package mutating func closeNode<Sink: BlobSink>(_ level: Int, _ writer: Sink) throws(Sink.Failure) {
    let children = levels[level]
    levels[level] = []
    let id = try writer.storeMeta(TreeBuilder.node(children, level))
    try add(TreeChild(firstName: children[0].firstName, id: id), toLevel: level + 1, writer)
  }

  /// The bytes of an inner node. `level`: the level of its children.
  package static func node(_ children: [TreeChild], _ level: Int) -> [UInt8] {
    var out = ByteWriter()
    out.u8(TreeFormat.tag)
    out.u8(UInt8(level + 1))
    out.varint(UInt64(children.count))
    for child in children {
      out.varint(UInt64(child.firstName.count))
      out.append(child.firstName)
      out.id(child.id)
    }
    return out.bytes
  }
}
