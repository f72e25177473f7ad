// A cache of the blocks of trees and lists that were unpacked last. Comparing two snapshots reads many small blobs; a
// block holds a few dozen of them, and the next one is often in the same block.

internal import Synchronization

final class MetaBlocks: Sendable {
  struct Key: Hashable, Sendable {
    let pack: ObjectID
    let offset: UInt64
  }

  private struct State: Sendable {
    var blocks: [Key: [UInt8]] = [:]
    var order: [Key] = []
    var bytes = 0
    /// A block that is not needed any more. Its memory takes the next one: the system fills new memory with zeros first.
    var spare: [UInt8] = []
  }

  /// The cache holds at most this many bytes.
  private static let limit = 8 << 20
  private let state = Mutex(State())

  func block(_ key: Key) -> [UInt8]? {
    state.withLock { $0.blocks[key] }
  }

  /// Memory for the next block; empty when there is none to spare.
  func takeSpare() -> [UInt8] {
    state.withLock { state in
      defer { state.spare = [] }
      return state.spare
    }
  }

  func insert(_ key: Key, _ block: [UInt8]) {
    if block.count > MetaBlocks.limit / 4 { return }
    state.withLock { state in
      guard state.blocks.updateValue(block, forKey: key) == nil else { return }
      state.order.append(key)
      state.bytes += block.count
      while state.bytes > MetaBlocks.limit, let oldest = state.order.first {
        state.order.removeFirst()
        let block = state.blocks.removeValue(forKey: oldest) ?? []
        state.bytes -= block.count
        state.spare = block
      }
    }
  }
}

/// A reader of blocks of trees and lists, for one thread at a time: its buffers are used again.
final class MetaReader: Sendable {
  /// So many threads have one at the same time. Others make their own.
  static let most = 4
  /// Made when it is needed.
  let reader = Mutex<BlobReader?>(nil)
}
