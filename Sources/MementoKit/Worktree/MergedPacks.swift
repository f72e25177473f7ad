// The file `cache/merged`: which pack holds what packs held that a merge has replaced. With it, a stat cache that names
// these packs still vouches for its content. It is derived data: without it, the next save looks for the content of each
// file. See docs/format.md, "merged packs".

internal import MementoStore
internal import MementoSystem

struct MergedPacks: Sendable {
  static let fileName = Array("merged".utf8)
  static let magic = Array("memento merged 1".utf8)
  /// The newest so many are kept.
  private static let limit = 1024
  static let sizeLimit = magic.count + 8 + limit * 16 + 4

  /// How long the last merge took for what does not depend on its size, in nanoseconds.
  var fixedCost: UInt64 = 0
  /// The first words of the ids: of a pack that is gone, and of the one with its content. The oldest first.
  private var pairs: [(old: UInt64, new: UInt64)] = []

  init() {}

  /// Decodes the file. Nil for anything that `encoded` does not write.
  init?(_ bytes: [UInt8]) {
    do throws(FormatError) {
      var reader = ByteReader(bytes)
      guard bytes.count <= MergedPacks.sizeLimit,
        try reader.take(MergedPacks.magic.count) == MergedPacks.magic
      else { return nil }
      fixedCost = try reader.u64()
      while reader.position < bytes.count - 4 {
        pairs.append((try reader.u64(), try reader.u64()))
      }
      guard try reader.u32() == crc32(bytes.dropLast(4)) else { return nil }
    } catch {
      return nil
    }
  }

  func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: MergedPacks.sizeLimit)
    writer.append(MergedPacks.magic)
    writer.u64(fixedCost)
    for pair in pairs.suffix(MergedPacks.limit) {
      writer.u64(pair.old)
      writer.u64(pair.new)
    }
    writer.u32(crc32(writer.bytes))
    return writer.bytes
  }

  mutating func add(_ merged: [ObjectID], into new: ObjectID) {
    pairs += merged.map { ($0.words.0, new.words.0) }
  }

  /// The pack that holds what this one held: itself if it is there, or one that merges have made of it. Nil when there is
  /// none.
  func present(_ pack: UInt64, among present: Set<UInt64>) -> UInt64? {
    var pack = pack
    // A pack is merged into one that is newer, so one pass is enough.
    for pair in pairs where !present.contains(pack) {
      if pair.old == pack { pack = pair.new }
    }
    return present.contains(pack) ? pack : nil
  }
}
