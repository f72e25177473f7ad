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
  /// For each block, the index of its first blob.
  private let starts: [Int]

  init(_ contents: TableOfContents) {
    self.contents = contents
    var starts: [Int] = []
    starts.reserveCapacity(contents.blocks.count)
    var next = 0
    for block in contents.blocks {
      starts.append(next)
      next += Int(block.blobCount)
    }
    self.starts = starts
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
    var offset: UInt64 = 0
    for blob in starts[number]..<starts[number] + Int(contents.blocks[number].blobCount) {
      let record = contents.blobs[blob]
      if offset == UInt64(place.offset), record.length == place.length, record.id == id { return true }
      offset += UInt64(record.length)
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
