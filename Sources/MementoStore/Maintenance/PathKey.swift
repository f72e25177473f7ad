// Where a blob belongs among the blobs of all paths: versions of a path side by side, and like names near each other.

/// A path in eight bytes, for sorting. Paths with like ends of their names sort near each other, as in `git pack-objects`,
/// and the same path always sorts to one place.
package struct PathKey: Comparable, Hashable, Sendable {
  /// The last characters of the name above, a hash of the path below. 0 for what has no path.
  package let bits: UInt64

  /// For a key that was stored.
  package init(bits: UInt64) {
    self.bits = bits
  }

  /// For what has no path, such as the record of a snapshot.
  package static let none = PathKey(bits: 0)
  /// The folder that is saved.
  package static let root = PathKey(bits: 2_166_136_261)

  /// The key of an entry of this folder.
  package func child(_ name: [UInt8]) -> PathKey {
    var end: UInt32 = 0
    // FNV-1a, which goes on from the hash of the folder.
    var path = UInt32(truncatingIfNeeded: bits)
    for byte in name {
      // The last 16 characters count, the last of them most.
      end = (end >> 2) &+ (UInt32(byte) << 24)
      path = (path ^ UInt32(byte)) &* 16_777_619
    }
    // No name has this byte.
    path = (path ^ UInt32(UInt8(ascii: "/"))) &* 16_777_619
    return PathKey(bits: UInt64(end) << 32 | UInt64(max(path, 1)))
  }

  package static func < (left: PathKey, right: PathKey) -> Bool { left.bits < right.bits }
}

/// Where a version of a file or folder belongs: with the others of its path, the newest first.
package struct VersionPlace: Comparable, Sendable {
  /// `.none` for what has no path, and for what the newest snapshots need: it stays in the order of a walk.
  package var key: PathKey
  /// A mark meets newer versions first, so that they have smaller numbers.
  package var number: UInt32

  package init(_ key: PathKey, _ number: UInt32) {
    self.key = key
    self.number = number
  }

  package static func < (left: VersionPlace, right: VersionPlace) -> Bool {
    (left.key, left.number) < (right.key, right.number)
  }
}

/// What a mark knows of the blobs that it has met, by their numbers in the set of needed blobs.
package struct BlobOrder: Sendable {
  /// The path of each.
  package var keys: ContiguousArray<PathKey>
  /// So many of the first are needed by the newest snapshots.
  package var newest: Int

  /// The first blobs that a mark meets are those of the newest snapshots. Of the others it meets newer versions first.
  package init(_ keys: ContiguousArray<PathKey>, newest: Int) {
    self.keys = keys
    self.newest = newest
  }

  /// The path of a blob that only older snapshots need. Nil for all others: they stay in the order of a walk.
  func keyOfVersion(_ number: Int) -> PathKey? {
    guard number >= newest, number < keys.count, keys[number] != .none else { return nil }
    return keys[number]
  }
}
