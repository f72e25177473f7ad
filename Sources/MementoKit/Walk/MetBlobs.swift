// The blobs that a walk has met, and what it knows of them.

internal import MementoStore

/// One blob may be a chunk and a tree: 9 bytes each, beside the id.
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
      following.append(UInt32(number))
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

  /// Of each: the number of the chunk that was asked for after it the last time. Versions of a folder have most chunks in
  /// the same order, so this mostly finds the next one, near the one before in memory. The table of ids is asked for the
  /// others; what lies there is seldom in the processor's cache.
  private var following = ContiguousArray<UInt32>()
  /// The chunk that was asked for last.
  private var previous = 0

  /// The number of a chunk of this length that was found before. Nil for others.
  mutating func chunk(_ id: ObjectID, length: UInt64) -> Int? {
    guard let number = number(ofNext: id), lengths[number] != MetBlobs.unknown else { return nil }
    return UInt64(lengths[number]) == length ? number : nil
  }

  private mutating func number(ofNext id: ObjectID) -> Int? {
    if previous < following.count {
      let guess = Int(following[previous])
      if ids.ids[guess] == id {
        previous = guess
        return guess
      }
    }
    guard let number = ids.number(of: id) else { return nil }
    if previous < following.count { following[previous] = UInt32(number) }
    previous = number
    return number
  }

  /// Adds the chunk; false when it was found before. No blob is longer than a block, which is less than 2^32 bytes.
  mutating func markChunk(_ id: ObjectID, length: UInt64) -> Bool {
    let number = insert(id)
    let isNew = lengths[number] == MetBlobs.unknown
    lengths[number] = UInt32(clamping: length)
    if isNew {
      // It most likely stands where another version of it stood, and the same follows.
      following[number] = following[previous]
      following[previous] = UInt32(number)
      previous = number
    }
    return isNew
  }
}
