// The file `cache/changes`: which paths the last saves have changed. With it, `log -- PATH` reads the records and trees of
// those steps alone that changed the path. It is derived data: what is not in it is found by comparing trees, and an entry
// is true as long as its two snapshots exist, since they never change. See docs/format.md, "changes of saves".

internal import MementoStore
internal import MementoSystem

struct SavedChanges: Sendable {
  static let fileName = Array("changes".utf8)
  static let magic = Array("memento changes 1\n".utf8)
  /// When the file has more bytes than this, it is written anew with the newest half of them.
  static let fullSize = 1 << 20
  /// A larger file is not read.
  static let sizeLimit = 2 * fullSize
  /// The most bytes of an entry. A larger one is not written: to look at the trees is as good.
  static let largestEntry = 64 << 10
  /// Where an entry begins. No path has the NUL in it, so an entry after a damaged one is found.
  private static let mark = [0] + Array("change\n".utf8)
  private static let headSize = mark.count + 8

  private let bytes: [UInt8]
  /// What follows the head of each entry.
  private var entries: [ObjectID: Range<Int>] = [:]

  /// Takes the content of the file. What is damaged in it is passed over.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    for range in SavedChanges.entries(of: bytes) { entries[SavedChanges.id(in: bytes, at: range.lowerBound)] = range }
  }

  /// The snapshot before, of which an entry says what differs from it. Nil when there is no entry.
  func parent(of snapshot: ObjectID) -> ObjectID? {
    entries[snapshot].map { SavedChanges.parent(in: bytes, $0) }
  }

  /// Whether a snapshot differs from its parent at one of these paths, or below it. Nil when that is not known.
  func differs(_ snapshot: ObjectID, at paths: [[UInt8]]) -> Bool? {
    guard let range = entries[snapshot] else { return nil }
    do throws(FormatError) {
      var reader = try ByteReader(bytes, in: range.dropFirst(2 * ObjectID.size))
      var path: [UInt8] = []
      while !reader.isAtEnd {
        path.removeSubrange(try reader.count(atMost: path.count)...)
        let length = try reader.count(atMost: range.count)
        let start = reader.position
        try reader.skip(length)
        path += bytes[start..<reader.position]
        if paths.contains(where: { path.starts(with: $0) && (path.count == $0.count || path[$0.count] == slash) }) {
          return true
        }
      }
      return false
    } catch {
      return nil
    }
  }

  /// The bytes of an entry. Nil when it has too many.
  static func entry(_ snapshot: ObjectID, since parent: ObjectID, _ paths: [[UInt8]]) -> [UInt8]? {
    var rest = ByteWriter()
    rest.id(snapshot)
    rest.id(parent)
    var last: [UInt8] = []
    for path in paths {
      let shared = zip(last, path).prefix { $0 == $1 }.count
      rest.varint(UInt64(shared))
      rest.varint(UInt64(path.count - shared))
      rest.append(path.dropFirst(shared))
      last = path
    }
    if rest.bytes.count > largestEntry { return nil }
    var entry = ByteWriter(capacity: headSize + rest.bytes.count)
    entry.append(mark)
    entry.u32(UInt32(rest.bytes.count))
    entry.u32(crc32(rest.bytes))
    entry.append(rest.bytes)
    return entry.bytes
  }

  /// The content of a file with those entries of another one of which both snapshots are wanted: the newest, at most `size`
  /// bytes. An entry names paths of both, and is of no use when one of them is gone.
  static func content(of bytes: [UInt8], most size: Int, where isWanted: (ObjectID) -> Bool) -> [UInt8] {
    var kept: [Range<Int>] = []
    var left = size
    for range in entries(of: bytes).reversed()
    where isWanted(id(in: bytes, at: range.lowerBound)) && isWanted(parent(in: bytes, range)) {
      left -= headSize + range.count
      if left < 0 { break }
      kept.append(range.lowerBound - headSize..<range.upperBound)
    }
    return magic + kept.reversed().flatMap { bytes[$0] }
  }

  /// What follows the heads of the entries of a file, in their order: at least two ids each.
  private static func entries(of bytes: [UInt8]) -> [Range<Int>] {
    guard bytes.starts(with: magic) else { return [] }
    var found: [Range<Int>] = []
    // Of a hostile file, each byte may look like the beginning of an entry.
    var budget = 2 * bytes.count
    var position = magic.count
    while budget > 0, let start = next(in: bytes, from: position) {
      position = start + 1
      do throws(FormatError) {
        var reader = try ByteReader(bytes, in: start + mark.count..<bytes.count)
        let (length, sum) = (Int(try reader.u32()), try reader.u32())
        guard length >= 2 * ObjectID.size, length <= min(largestEntry, reader.remaining) else { continue }
        let range = reader.position..<reader.position + length
        budget -= length
        guard bytes.withUnsafeBytes({ crc32(UnsafeRawBufferPointer(rebasing: $0[range])) }) == sum else { continue }
        found.append(range)
        position = range.upperBound
      } catch {
        // Cut off.
      }
    }
    return found
  }

  private static func parent(in bytes: [UInt8], _ entry: Range<Int>) -> ObjectID {
    id(in: bytes, at: entry.lowerBound + ObjectID.size)
  }

  /// `place`: of an id in an entry that was found.
  private static func id(in bytes: [UInt8], at place: Int) -> ObjectID {
    bytes[place..<place + ObjectID.size].withUnsafeBytes { ObjectID(loading: $0.baseAddress!) }
  }

  /// Where the next mark is.
  private static func next(in bytes: [UInt8], from position: Int) -> Int? {
    bytes.withUnsafeBytes { bytes in
      ByteSearch.first(of: mark, in: UnsafeRawBufferPointer(rebasing: bytes[position...])).map { position + $0 }
    }
  }
}

private let slash = UInt8(ascii: "/")
