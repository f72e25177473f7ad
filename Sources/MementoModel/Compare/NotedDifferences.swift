// Remembers how trees differ when a walk has found it out, so that a comparison need not read those trees again. The
// key is the ids of both trees, so a note is right wherever it is used.

internal import Synchronization

/// The trees of a directory on two sides.
package struct TreePair: Hashable, Sendable {
  package let old: ObjectID
  package let new: ObjectID

  @inlinable package init(old: ObjectID, new: ObjectID) {
    self.old = old
    self.new = new
  }
}

/// The entry of a name on two sides.
package struct EntryDifference: Sendable {
  package var old: TreeEntry?
  package var new: TreeEntry?

  @inlinable package init(old: TreeEntry?, new: TreeEntry?) {
    self.old = old
    self.new = new
  }
}

/// The differences that walks have noted. Threads may share it.
package final class NotedDifferences: Sendable {
  /// At most this many entries are kept, about 6 MiB. For all other trees, a comparison reads them.
  package static let limit = 1 << 14

  private struct State: Sendable {
    var byTrees: [TreePair: [EntryDifference]] = [:]
    var count = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether there is no room for more entries.
  package var isFull: Bool { state.withLock { $0.count >= NotedDifferences.limit } }

  /// Notes all entries in which two trees differ, in the order of their names. Does nothing when there is no room for
  /// them.
  package func note(_ trees: TreePair, _ differences: [EntryDifference]) {
    state.withLock { state in
      guard state.count + differences.count <= NotedDifferences.limit else { return }
      if state.byTrees.updateValue(differences, forKey: trees) == nil { state.count += differences.count }
    }
  }

  /// The entries in which two trees differ. Nil when that was not noted.
  package subscript(trees: TreePair) -> [EntryDifference]? {
    state.withLock { $0.byTrees[trees] }
  }
}
