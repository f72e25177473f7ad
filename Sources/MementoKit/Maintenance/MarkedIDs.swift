// A set of ids that is kept in a file between the pieces of a collection, with the place where each belongs among the
// versions of its path. Those from the file stay sorted bytes, so that reading the file costs no more than its bytes; what
// is added is beside them.

internal import MementoStore

struct MarkedIDs: Sendable {
  /// What one takes in the file: an id, its path, its number.
  static let rowSize = ObjectID.size + 8 + 4

  /// The bytes of a file that hold the sorted rows, and where they are.
  private var bytes: [UInt8] = []
  private var start = 0
  private var sortedCount = 0
  private var added = BlobSet()
  private var addedPlaces = ContiguousArray<VersionPlace>()

  init() {}

  /// The `count` rows in the bytes from `start` on. Nil when the bytes end before, or the ids are not sorted.
  init?(_ bytes: [UInt8], from start: Int, count: Int) {
    guard start >= 0, count >= 0, count <= (bytes.count - start) / MarkedIDs.rowSize else { return nil }
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
        let place = start + number * MarkedIDs.rowSize
        let now = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        if now < before { return false }
        if now == before, number > 0,
          MarkedIDs.id(bytes, place - MarkedIDs.rowSize) >= MarkedIDs.id(bytes, place)
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
    let row = row(of: id)
    return row < sortedCount && self.id(row) == id
  }

  /// Where an id in the set belongs. Nil for others.
  func place(of id: ObjectID) -> VersionPlace? {
    if let number = added.number(of: id) { return addedPlaces[number] }
    let row = row(of: id)
    guard row < sortedCount, self.id(row) == id else { return nil }
    return bytes.withUnsafeBytes { bytes in
      let start = start + row * MarkedIDs.rowSize + ObjectID.size
      return VersionPlace(
        PathKey(bits: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))),
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self)))
    }
  }

  /// Returns false when the id was in the set already. It keeps the place that it had then.
  mutating func insert(_ id: ObjectID, _ place: VersionPlace) -> Bool {
    if contains(id) { return false }
    addedPlaces.append(place)
    return added.insert(id)
  }

  /// How many were added to those from the file.
  var addedCount: Int { added.count }

  /// Forgets those that were added after the first so many.
  mutating func forget(after count: Int) {
    if count < added.count { addedPlaces.removeSubrange(count...) }
    added.removeAll(after: count)
  }

  /// Appends all rows, sorted.
  func append(to writer: inout ByteWriter) {
    let new = (0..<added.count).sorted { added.ids[$0] < added.ids[$1] }
    var next = 0
    for number in new {
      let id = added.ids[number]
      let row = row(of: id)
      copy(next..<row, to: &writer)
      writer.id(id)
      writer.u64(addedPlaces[number].key.bits)
      writer.u32(addedPlaces[number].number)
      next = row
    }
    copy(next..<sortedCount, to: &writer)
  }

  private func copy(_ range: Range<Int>, to writer: inout ByteWriter) {
    if range.isEmpty { return }
    let size = MarkedIDs.rowSize
    writer.append(bytes[(start + range.lowerBound * size)..<(start + range.upperBound * size)])
  }

  /// How many of the sorted ids are smaller.
  private func row(of id: ObjectID) -> Int {
    bytes.withUnsafeBytes { bytes in
      var low = 0
      var high = sortedCount
      while low < high {
        let middle = (low + high) / 2
        if MarkedIDs.id(bytes, start + middle * MarkedIDs.rowSize) < id { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  private func id(_ number: Int) -> ObjectID {
    bytes.withUnsafeBytes { MarkedIDs.id($0, start + number * MarkedIDs.rowSize) }
  }

  private static func id(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> ObjectID {
    ObjectID(loading: UnsafeRawPointer(bytes.baseAddress!) + offset)
  }
}
