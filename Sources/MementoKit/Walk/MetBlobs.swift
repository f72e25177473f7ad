// The blobs that a walk has met, and what it knows of them.

internal import MementoStore

/// One blob may be a chunk and a tree: 5 bytes each, beside the id.
struct MetBlobs {
  /// What is known of a blob that describes.
  struct Marks: OptionSet {
    let rawValue: UInt8

    static let readSnapshot = Marks(rawValue: 1)
    static let readTree = Marks(rawValue: 2)
    static let wholeTree = Marks(rawValue: 4)
    static let hurtTree = Marks(rawValue: 8)
  }

  private(set) var ids = BlobSet()
  /// Of each: where in a snapshot it was first met. Empty when nobody asks for that.
  private(set) var paths = ContiguousArray<PathKey>()
  private let keepsPaths: Bool
  /// Where the walk is.
  var path = PathKey.none

  init(keepsPaths: Bool = false) {
    self.keepsPaths = keepsPaths
  }

  /// Gives the ids away. Nothing else is known then.
  mutating func release() -> BlobSet {
    let released = ids
    self = MetBlobs()
    return released
  }

  /// Of each: its length, if it was found as a chunk.
  private var lengths = ContiguousArray<UInt32>()
  private var marks = ContiguousArray<Marks>()
  private static let unknown = UInt32.max

  @discardableResult
  mutating func insert(_ id: ObjectID) -> Int {
    let number = ids.number(inserting: id)
    if number == lengths.count {
      lengths.append(MetBlobs.unknown)
      if keepsPaths { paths.append(path) }
      marks.append([])
    }
    return number
  }

  /// Whether a blob has one of these marks.
  func has(_ id: ObjectID, _ mark: Marks) -> Bool {
    ids.number(of: id).map { !marks[$0].isDisjoint(with: mark) } ?? false
  }

  /// Adds the blob and the mark; false when it has the mark already.
  mutating func mark(_ id: ObjectID, _ mark: Marks) -> Bool {
    marks[insert(id)].insert(mark).inserted
  }

  /// The number of a chunk of this length that was found before. Nil for others.
  func chunk(_ id: ObjectID, length: UInt64) -> Int? {
    guard let number = ids.number(of: id), lengths[number] != MetBlobs.unknown else { return nil }
    return UInt64(lengths[number]) == length ? number : nil
  }

  /// Adds the chunk; false when it was found before. No blob is longer than a block, which is less than 2^32 bytes.
  mutating func markChunk(_ id: ObjectID, length: UInt64) -> Bool {
    let number = insert(id)
    let isNew = lengths[number] == MetBlobs.unknown
    lengths[number] = UInt32(clamping: length)
    return isNew
  }
}
