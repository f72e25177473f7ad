// The file `cache/gc`: what a gc has left, in which store, and until when nothing of that is to go. With it, the next gc of
// the same store need not mark everything again. It is derived data, and only ever says that nothing is to be removed.
// See docs/format.md, "the last gc".

internal import MementoStore

struct LastCollection: Equatable, Sendable {
  static let fileName = Array("gc".utf8)
  static let magic = Array("memento gc 2\n\0\0\0".utf8)
  /// The number of the rules by which packs are rewritten. What a gc with other rules has found says nothing.
  private static let sweep: UInt8 = 2
  /// If more snapshots are held than this, nothing is noted.
  static let mostHeld = 4096
  private static let emptySize = magic.count + ObjectID.size + 7 * 8 + 4 + 4
  private static let heldSize = ObjectID.size + 8 + 1
  /// The most bytes that the file has.
  static let sizeLimit = emptySize + mostHeld * heldSize

  /// A snapshot that only the trash or an age keeps.
  struct Held: Equatable, Sendable {
    var snapshot: ObjectID
    /// What it takes beside all that is newer, in stored bytes.
    var bytes: UInt64
    /// False when a part of it is missing or damaged.
    var isWhole: Bool
  }

  /// What the gc looked at: `refs`, the packs, and the rules that it went by.
  var store: ObjectID
  /// How many seconds the store has seen pass when the first of what is kept comes of age.
  var until: UInt64
  var bytesKept: UInt64
  var space: SpaceUse
  var threshold: UInt64
  /// The newest first.
  var held: [Held]

  init(
    store: ObjectID, until: UInt64, bytesKept: UInt64, space: SpaceUse, threshold: UInt64, held: [Held] = []
  ) {
    self.held = held
    self.store = store
    self.until = until
    self.bytesKept = bytesKept
    self.space = space
    self.threshold = threshold
  }

  /// Decodes the file. Nil for anything that `encoded` does not write.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= LastCollection.sizeLimit else { return nil }
    do throws(FormatError) {
      var reader = ByteReader(bytes)
      guard try reader.take(LastCollection.magic.count) == LastCollection.magic else { return nil }
      store = try reader.id()
      until = try reader.u64()
      bytesKept = try reader.u64()
      space = SpaceUse()
      space.named = try reader.u64()
      space.unnamed = try reader.u64()
      space.trash = try reader.u64()
      space.unneeded = try reader.u64()
      threshold = try reader.u64()
      let count = Int(try reader.u32())
      guard bytes.count == LastCollection.emptySize + count * LastCollection.heldSize else { return nil }
      held = []
      for _ in 0..<count {
        let (snapshot, bytes, isWhole) = (try reader.id(), try reader.u64(), try reader.u8())
        guard isWhole <= 1 else { return nil }
        held.append(Held(snapshot: snapshot, bytes: bytes, isWhole: isWhole == 1))
      }
      guard try reader.u32() == crc32(bytes.dropLast(4)) else { return nil }
    } catch {
      return nil
    }
  }

  func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: LastCollection.emptySize + held.count * LastCollection.heldSize)
    writer.append(LastCollection.magic)
    writer.id(store)
    for number in [until, bytesKept, space.named, space.unnamed, space.trash, space.unneeded, threshold] {
      writer.u64(number)
    }
    writer.u32(UInt32(held.count))
    for held in held {
      writer.id(held.snapshot)
      writer.u64(held.bytes)
      writer.u8(held.isWhole ? 1 : 0)
    }
    writer.u32(crc32(writer.bytes))
    return writer.bytes
  }

  /// The identity of what a gc looks at.
  static func identity(refs: ObjectID, packs: [ObjectID], rules: Retention.Rules, budget: UInt64?) -> ObjectID {
    var writer = ByteWriter(capacity: (packs.count + 1) * ObjectID.size + 64)
    writer.id(refs)
    writer.u8(sweep)
    writer.u64(rules.keep.seconds)
    writer.u64(UInt64(clamping: rules.keep.count))
    for limit in [rules.trash, budget] {
      writer.u8(limit == nil ? 0 : 1)
      writer.u64(limit ?? 0)
    }
    for pack in packs.sorted() { writer.id(pack) }
    return ObjectID(hashing: writer.bytes)
  }
}
