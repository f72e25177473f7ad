// Checks rows of index tables against the packs. A table may be damaged, outdated or forged. A pack cannot lie: its
// name is the SHA-256 of its own table of contents.

internal import MementoSystem
internal import Synchronization

/// Whether a pack holds a blob, according to its own table of contents.
package enum BlobPresence: Sendable {
  case there
  /// The pack holds a blob with this id, but with another length.
  case otherLength
  case missing
}

final class ConfirmedPacks: Sendable {
  private struct State: Sendable {
    /// Nil for a pack whose table of contents cannot be read. Nobody relies on anything in it.
    var packs: [ObjectID: Result<ConfirmedPack, StoreError>] = [:]
    var blobs = 0
  }

  /// At most about this many blobs of confirmed packs are kept in memory, 40 bytes each. Beyond that, tables of
  /// contents are read again.
  private static let limit = 4 << 20
  private let state = Mutex(State())

  /// Whether a pack says what a row of an index table says of it. Reads its table when it is asked for the first time. Throws
  /// when that cannot be read.
  func confirm(
    _ id: ObjectID, _ place: Location, in pack: ObjectID, _ read: () throws(StoreError) -> PackContents
  ) throws(StoreError) -> Bool {
    if let known = state.withLock({ $0.packs[pack] }) { return try known.get().holds(id, at: place) }
    var found: Result<ConfirmedPack, StoreError>
    var count = 0
    do throws(StoreError) {
      let confirmed = ConfirmedPack(try read().contents)
      count = confirmed.count
      found = .success(confirmed)
    } catch {
      found = .failure(error)
    }
    state.withLock { state in
      if state.blobs > ConfirmedPacks.limit {
        state.packs = [:]
        state.blobs = 0
      }
      state.packs[pack] = found
      state.blobs += count
    }
    return try found.get().holds(id, at: place)
  }

  /// Forgets packs that could not be read, so that the next save tries to read them again.
  func forgetUnread() {
    state.withLock { state in
      state.packs = state.packs.filter { if case .success = $0.value { true } else { false } }
    }
  }
}

private struct ConfirmedPack: Sendable {
  private let contents: TableOfContents
  /// For each block, the index of its first blob, and of its first mark.
  private let starts: [(blob: Int, mark: Int)]
  /// The offset in its block of every 64th blob of a block, the first one included. A block may have tens of thousands of
  /// small blobs.
  private let marks: [UInt64]
  private static let markDistance = 64

  init(_ contents: TableOfContents) {
    self.contents = contents
    var starts: [(blob: Int, mark: Int)] = []
    starts.reserveCapacity(contents.blocks.count)
    var marks: [UInt64] = []
    var next = 0
    for block in contents.blocks {
      starts.append((next, marks.count))
      var offset: UInt64 = 0
      for number in 0..<Int(block.blobCount) {
        if number % ConfirmedPack.markDistance == 0 { marks.append(offset) }
        offset += UInt64(contents.blobs[next + number].length)
      }
      next += Int(block.blobCount)
    }
    self.starts = starts
    self.marks = marks
  }

  var count: Int { contents.blobs.count }

  func holds(_ id: ObjectID, at place: Location) -> Bool {
    let blocks = contents.blocks
    // Blocks do not overlap, so they are sorted by offset.
    var low = 0
    var high = blocks.count
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle].offset < place.block.offset { low = middle + 1 } else { high = middle }
    }
    // A block without bytes has the same offset as the next one, so check all blocks with this offset.
    while low < blocks.count, blocks[low].offset == place.block.offset {
      if blocks[low].isSameBlock(as: place.block), holds(id, at: place, inBlock: low) { return true }
      low += 1
    }
    return false
  }

  private func holds(_ id: ObjectID, at place: Location, inBlock number: Int) -> Bool {
    let start = starts[number]
    let count = Int(contents.blocks[number].blobCount)
    let target = UInt64(place.offset)
    // The first mark that is not before the place. Blobs without bytes share an offset, so the first one at the place may
    // lie behind the mark before this one.
    var low = 0
    var high = (count + ConfirmedPack.markDistance - 1) / ConfirmedPack.markDistance
    while low < high {
      let middle = (low + high) / 2
      if marks[start.mark + middle] < target { low = middle + 1 } else { high = middle }
    }
    let mark = max(low - 1, 0)
    var blob = mark * ConfirmedPack.markDistance
    guard blob < count else { return false }
    var offset = marks[start.mark + mark]
    while blob < count, offset <= target {
      let record = contents.blobs[start.blob + blob]
      if offset == target, record.length == place.length, record.id == id { return true }
      offset += UInt64(record.length)
      blob += 1
    }
    return false
  }
}

extension BlockRecord {
  /// Whether two records are equal apart from the number of blobs, which index tables do not have.
  func isSameBlock(as other: BlockRecord) -> Bool {
    kind == other.kind && codec == other.codec && rawLength == other.rawLength && storedLength == other.storedLength
      && offset == other.offset
  }
}
