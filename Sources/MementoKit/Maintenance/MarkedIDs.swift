// A set of ids that is kept in a file between the pieces of a collection. Those from the file stay sorted bytes, so
// that reading the file costs no more than its bytes; what is added is beside them.

internal import MementoStore

struct MarkedIDs: Sendable {
  /// The bytes of a file that hold the sorted ids, and where they are.
  private var bytes: [UInt8] = []
  private var start = 0
  private var sortedCount = 0
  private var added = BlobSet()

  init() {}

  /// The `count` ids in the bytes from `start` on. Nil when the bytes end before, or the ids are not sorted.
  init?(_ bytes: [UInt8], from start: Int, count: Int) {
    guard start >= 0, count >= 0, count <= (bytes.count - start) / ObjectID.size else { return nil }
    self.bytes = bytes
    self.start = start
    sortedCount = count
    guard isSorted else { return nil }
  }

  /// Whether each id is larger than the one before. This takes a small part of the time of a hash of the bytes.
  private var isSorted: Bool {
    bytes.withUnsafeBytes { bytes in
      var before: UInt64 = 0
      for number in 0..<sortedCount {
        let place = start + number * ObjectID.size
        let now = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        if now < before { return false }
        if now == before, number > 0,
          MarkedIDs.id(bytes, place - ObjectID.size) >= MarkedIDs.id(bytes, place)
        {
          return false
        }
        before = now
      }
      return true
    }
  }

  var count: Int { sortedCount + added.count }

  func contains(_ id: ObjectID) -> Bool {
    if added.contains(id) { return true }
    let place = place(of: id)
    return place < sortedCount && self.id(place) == id
  }

  /// Returns false when the id was in the set already.
  mutating func insert(_ id: ObjectID) -> Bool {
    if contains(id) { return false }
    return added.insert(id)
  }

  /// How many were added to those from the file.
  var addedCount: Int { added.count }

  /// Forgets those that were added after the first so many.
  mutating func forget(after count: Int) {
    added.removeAll(after: count)
  }

  /// Appends all ids, sorted.
  func append(to writer: inout ByteWriter) {
    let new = (0..<added.count).map { added.ids[$0] }.sorted()
    var next = 0
    for id in new {
      let place = place(of: id)
      copy(next..<place, to: &writer)
      writer.id(id)
      next = place
    }
    copy(next..<sortedCount, to: &writer)
  }

  private func copy(_ range: Range<Int>, to writer: inout ByteWriter) {
    if range.isEmpty { return }
    writer.append(bytes[(start + range.lowerBound * ObjectID.size)..<(start + range.upperBound * ObjectID.size)])
  }

  /// How many of the sorted ids are smaller.
  private func place(of id: ObjectID) -> Int {
    bytes.withUnsafeBytes { bytes in
      var low = 0
      var high = sortedCount
      while low < high {
        let middle = (low + high) / 2
        if MarkedIDs.id(bytes, start + middle * ObjectID.size) < id { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  private func id(_ number: Int) -> ObjectID {
    bytes.withUnsafeBytes { MarkedIDs.id($0, start + number * ObjectID.size) }
  }

  private static func id(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> ObjectID {
    ObjectID(loading: UnsafeRawPointer(bytes.baseAddress!) + offset)
  }
}
