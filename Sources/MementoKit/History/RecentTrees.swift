// Keeps the trees that were read last. A walk along the history looks at each tree twice, as the newer side of a step and then as
// the older side of the next, and would read and hash it twice.

internal import MementoStore
internal import Synchronization

final class RecentTrees: BlobSource {
  private struct State: Sendable {
    var trees: [ObjectID: [UInt8]] = [:]
    /// The ids of `trees`, the oldest first.
    var order: [ObjectID] = []
    var bytes = 0
  }

  /// It keeps at most this many bytes.
  private static let limit = 4 << 20
  private let source: any MetaSource
  private let state = Mutex(State())

  init(over source: any MetaSource) {
    self.source = source
  }

  func readMeta(_ id: ObjectID) throws(StoreError) -> [UInt8] {
    if let known = state.withLock({ $0.trees[id] }) { return known }
    let bytes = try source.readMeta(id)
    if bytes.count > RecentTrees.limit / 8 { return bytes }
    state.withLock { state in
      guard state.trees.updateValue(bytes, forKey: id) == nil else { return }
      state.order.append(id)
      state.bytes += bytes.count
      while state.bytes > RecentTrees.limit {
        state.bytes -= state.trees.removeValue(forKey: state.order.removeFirst())?.count ?? 0
      }
    }
    return bytes
  }
}
