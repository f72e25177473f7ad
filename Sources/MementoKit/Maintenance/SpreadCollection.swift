// The file `cache/mark`: how far a collection has come that is spread over many saves, or when the next one begins. It
// is derived data: without it, the next collection begins anew. See docs/format.md, "a collection in pieces".
//
// What is marked may be relied upon for one reason: an object never changes, so what lies below it never does. An
// object is marked as whole after all that lies below it was marked. That stays true whatever happens to `refs` and
// packs between two pieces. Each piece asks `refs` what is needed now.

internal import MementoStore

/// A collection that is spread over many saves.
struct SpreadCollection: Sendable {
  enum Phase: UInt8 {
    /// There is none. The file says when to look whether one is due.
    case idle
    /// Marks what is needed.
    case marking
    /// All that was to be marked is.
    case marked
    /// All that is needed is marked, and what expired has left `refs`: removes packs.
    case sweeping
  }

  /// What a save reads of it, to know whether it has to read more.
  struct Header: Equatable, Sendable {
    var phase = Phase.idle
    /// The policy that it goes by.
    var policy = ObjectID.zero
    /// Nanoseconds that a piece takes before and after its work.
    var fixedCost: UInt64 = 0
    /// Look again whether one is due when the store has seen so many seconds pass, and `refs` have this generation.
    var nextLook: UInt64 = 0
    var nextGeneration: UInt64 = 0
    /// How many seconds the store had seen pass when the last one ended.
    var ended: UInt64 = 0
    /// The bytes of all packs then, and of all else.
    var packBytes: UInt64 = 0
    var otherBytes: UInt64 = 0
    /// While there is a collection: the bytes of all packs but those that came since it began. 0 when that is not known, as
    /// in a file of an earlier version.
    var base: UInt64 = 0

    /// Notes that the collection has made so many bytes of packs of so many.
    mutating func note(_ before: UInt64, _ after: UInt64) {
      if base == 0 { return }
      let (sum, isTooLarge) = base.addingReportingOverflow(after)
      base = isTooLarge || sum <= before ? 1 : sum - before
    }
  }

  static let fileName = Array("mark".utf8)
  static let magic = Array("memento mark 2\n\0".utf8)
  static let headerSize = magic.count + 1 + ObjectID.size + 7 * 8 + 4
  /// A larger file is not read: the collection begins anew.
  static let sizeLimit = 1 << 30

  var header = Header()
  /// Snapshots to mark, the last one first. The last `fixedCount` are marked whatever they take.
  var todo: [ObjectID] = []
  var fixedCount = 0
  /// So many of the last ones are the newest: what they need stays in the order of a walk.
  var newestCount = 0
  /// Bytes that the packs may take for all that is marked; nil for no limit. And what that takes.
  var limit: UInt64?
  var size: UInt64 = 0
  /// The newest snapshot for which there is no room.
  var over: ObjectID?
  /// Lists in `states/` and `trash/` of which all snapshots are marked.
  var lists: Set<ObjectID> = []
  /// Packs that are to be looked at.
  var packs: [ObjectID] = []
  /// Packs to rewrite, and the bytes of their needed blobs before compression.
  var sparse: [(id: ObjectID, live: UInt64)] = []
  /// The same for packs that are rewritten only so that versions come side by side.
  var mixed: [(id: ObjectID, live: UInt64)] = []
  /// Packs of both with versions that are going to be put side by side first, and what these versions take there.
  var unsorted: [ObjectID] = []
  var unsortedBytes: UInt64 = 0
  /// Packs that rewriting has made. They were read back.
  var written: Set<ObjectID> = []
  /// Snapshots, trees and lists that are marked with all that lies below them.
  var whole = MarkedIDs()
  /// Chunks that are marked. A chunk may have the bytes of a tree, so that it is in this set says nothing of what that
  /// tree names.
  var chunks = MarkedIDs()

  init() {}

  func isNeeded(_ id: ObjectID) -> Bool { chunks.contains(id) || whole.contains(id) }

  /// Where a blob that is needed belongs. Nil for others.
  func place(of id: ObjectID) -> VersionPlace? { chunks.place(of: id) ?? whole.place(of: id) }

  /// The packs that it is going to look at or to write anew.
  var packsAtWork: Set<ObjectID> { Set(packs + sparse.map(\.id) + mixed.map(\.id) + unsorted) }

  /// Forgets packs that are gone.
  mutating func keep(_ present: Set<ObjectID>) {
    sparse.removeAll { !present.contains($0.id) }
    mixed.removeAll { !present.contains($0.id) }
    unsorted.removeAll { !present.contains($0) }
  }

  /// Leaves versions where they are.
  mutating func sortsNothing() {
    mixed = []
    unsorted = []
    unsortedBytes = 0
  }

  // MARK: The form

  /// Decodes the first bytes. Nil for anything that `encoded` does not write.
  static func header(_ bytes: [UInt8]) -> Header? {
    guard bytes.count >= headerSize else { return nil }
    do throws(FormatError) {
      var reader = try ByteReader(bytes, in: 0..<headerSize)
      guard try reader.take(magic.count) == magic else { return nil }
      guard let phase = Phase(rawValue: try reader.u8()) else { return nil }
      var header = Header(phase: phase, policy: try reader.id())
      header.fixedCost = try reader.u64()
      header.nextLook = try reader.u64()
      header.nextGeneration = try reader.u64()
      header.ended = try reader.u64()
      header.packBytes = try reader.u64()
      header.otherBytes = try reader.u64()
      header.base = try reader.u64()
      guard try reader.u32() == crc32(bytes[..<(headerSize - 4)]) else { return nil }
      return header
    } catch {
      return nil
    }
  }

  /// Decodes the file. Nil for anything that `encoded` does not write.
  init?(_ bytes: [UInt8]) {
    guard let header = SpreadCollection.header(bytes), bytes.count >= SpreadCollection.headerSize + ObjectID.size else {
      return nil
    }
    let end = bytes.count - ObjectID.size
    let digest = bytes.withUnsafeBytes { bytes in
      (
        ObjectID(hashing: UnsafeRawBufferPointer(rebasing: bytes[..<end])),
        ObjectID(loading: UnsafeRawPointer(bytes.baseAddress!) + end)
      )
    }
    guard digest.0 == digest.1 else { return nil }
    self.header = header
    do throws(FormatError) {
      var reader = try ByteReader(bytes, in: SpreadCollection.headerSize..<end)
      limit = try SpreadCollection.isNext(&reader) ? try reader.u64() : nil
      size = try reader.u64()
      over = try SpreadCollection.isNext(&reader) ? try reader.id() : nil
      todo = try SpreadCollection.ids(&reader)
      fixedCount = Int(try reader.u32())
      newestCount = Int(try reader.u32())
      lists = try SpreadCollection.set(&reader)
      packs = try SpreadCollection.ids(&reader)
      written = try SpreadCollection.set(&reader)
      sparse = try SpreadCollection.packs(&reader)
      mixed = try SpreadCollection.packs(&reader)
      unsorted = try SpreadCollection.ids(&reader)
      unsortedBytes = try reader.u64()
      for path in [\SpreadCollection.whole, \SpreadCollection.chunks] {
        let count = try reader.count(atMost: reader.remaining / MarkedIDs.rowSize)
        guard fixedCount <= todo.count, newestCount <= todo.count,
          let ids = MarkedIDs(bytes, from: reader.position, count: count)
        else { return nil }
        try reader.skip(count * MarkedIDs.rowSize)
        self[keyPath: path] = ids
      }
      guard reader.isAtEnd else { return nil }
    } catch {
      return nil
    }
  }

  func encoded() -> [UInt8] {
    let ids = todo.count + lists.count + packs.count + written.count + (sparse.count + mixed.count) * 2 + unsorted.count
    let rows = whole.count + chunks.count
    var writer = ByteWriter(
      capacity: SpreadCollection.headerSize + ids * ObjectID.size + rows * MarkedIDs.rowSize + 256)
    writer.append(SpreadCollection.magic)
    writer.u8(header.phase.rawValue)
    writer.id(header.policy)
    for number in [
      header.fixedCost, header.nextLook, header.nextGeneration, header.ended, header.packBytes, header.otherBytes,
      header.base,
    ] {
      writer.u64(number)
    }
    writer.u32(crc32(writer.bytes))
    writer.u8(limit == nil ? 0 : 1)
    if let limit { writer.u64(limit) }
    writer.u64(size)
    writer.u8(over == nil ? 0 : 1)
    if let over { writer.id(over) }
    SpreadCollection.append(todo, to: &writer)
    writer.u32(UInt32(clamping: fixedCount))
    writer.u32(UInt32(clamping: newestCount))
    SpreadCollection.append(lists.sorted(), to: &writer)
    SpreadCollection.append(packs, to: &writer)
    SpreadCollection.append(written.sorted(), to: &writer)
    SpreadCollection.append(sparse, to: &writer)
    SpreadCollection.append(mixed, to: &writer)
    SpreadCollection.append(unsorted, to: &writer)
    writer.u64(unsortedBytes)
    for ids in [whole, chunks] {
      writer.varint(UInt64(ids.count))
      ids.append(to: &writer)
    }
    writer.id(ObjectID(hashing: writer.bytes))
    return writer.bytes
  }

  private static func ids(_ reader: inout ByteReader) throws(FormatError) -> [ObjectID] {
    let count = try reader.count(atMost: reader.remaining / ObjectID.size)
    var ids: [ObjectID] = []
    ids.reserveCapacity(count)
    for _ in 0..<count { ids.append(try reader.id()) }
    return ids
  }

  /// A set, in the order in which it is written.
  private static func set(_ reader: inout ByteReader) throws(FormatError) -> Set<ObjectID> {
    let ids = try ids(&reader)
    guard zip(ids, ids.dropFirst()).allSatisfy({ $0 < $1 }) else { throw FormatError("a set is not sorted") }
    return Set(ids)
  }

  /// Whether the next thing is there.
  private static func isNext(_ reader: inout ByteReader) throws(FormatError) -> Bool {
    let byte = try reader.u8()
    guard byte <= 1 else { throw FormatError("a byte is neither 0 nor 1") }
    return byte == 1
  }

  private static func packs(_ reader: inout ByteReader) throws(FormatError) -> [(id: ObjectID, live: UInt64)] {
    var packs: [(id: ObjectID, live: UInt64)] = []
    for id in try ids(&reader) { packs.append((id, try reader.u64())) }
    return packs
  }

  private static func append(_ packs: [(id: ObjectID, live: UInt64)], to writer: inout ByteWriter) {
    append(packs.map(\.id), to: &writer)
    for pack in packs { writer.u64(pack.live) }
  }

  private static func append(_ ids: [ObjectID], to writer: inout ByteWriter) {
    writer.varint(UInt64(ids.count))
    for id in ids { writer.id(id) }
  }
}
