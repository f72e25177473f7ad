// What packs say of themselves, for asking whether a row of an index table is right: a table may be damaged, stale, or made
// by somebody else. The name of a pack is the SHA-256 of its table of contents, so a pack that was read confirms its rows.

internal import MementoSystem
internal import Synchronization

/// Whether a pack holds a blob, by its own table of contents.
package enum BlobPresence: Sendable {
  case there
  /// A blob of this id is there, and has another length.
  case otherLength
  case missing
}

final class ConfirmedPacks: Sendable {
  private struct State: Sendable {
    /// A failure for a pack whose table cannot be read: nothing in it is relied upon.
    var packs: [ObjectID: Result<ConfirmedPack, StoreError>] = [:]
    var blobs = 0
  }

  /// How many blobs of confirmed packs are kept in memory: 40 bytes each. Beyond that tables are read again.
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

  /// Before a save: packs that could not be read are tried again.
  func forgetUnread() {
    state.withLock { state in
      state.packs = state.packs.filter { if case .success = $0.value { true } else { false } }
    }
  }
}

private struct ConfirmedPack: Sendable {
  private let contents: TableOfContents
  /// The number of the first blob of each block.
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
    // Blocks do not overlap, so they are sorted by where they begin.
    var low = 0
    var high = blocks.count
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle].offset < place.block.offset { low = middle + 1 } else { high = middle }
    }
    // One without bytes begins where the next does.
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
  /// Whether it is the same but for the number of blobs, which index tables do not have.
  func isSameBlock(as other: BlockRecord) -> Bool {
    kind == other.kind && codec == other.codec && rawLength == other.rawLength && storedLength == other.storedLength
      && offset == other.offset
  }
}
