// How trees differ, where a walk found out on its way: a comparison need not read those trees again. By the ids of both,
// so that what is noted is right wherever it is looked up.

internal import Synchronization

/// Two trees of a directory.
package struct TreePair: Hashable, Sendable {
  package let old: ObjectID
  package let new: ObjectID

  @inlinable package init(old: ObjectID, new: ObjectID) {
    self.old = old
    self.new = new
  }
}

/// What has become of one name.
package struct EntryDifference: Sendable {
  package var old: TreeEntry?
  package var new: TreeEntry?

  @inlinable package init(old: TreeEntry?, new: TreeEntry?) {
    self.old = old
    self.new = new
  }
}

package final class NotedDifferences: Sendable {
  /// More entries than this are not kept, about 6 MiB: the rest is read when it is asked for.
  package static let limit = 1 << 14

  private struct State: Sendable {
    var byTrees: [TreePair: [EntryDifference]] = [:]
    var count = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether there is room for more.
  package var isFull: Bool { state.withLock { $0.count >= NotedDifferences.limit } }

  /// Notes all entries in which two trees differ, in the order of their names.
  package func note(_ trees: TreePair, _ differences: [EntryDifference]) {
    state.withLock { state in
      guard state.count + differences.count <= NotedDifferences.limit else { return }
      if state.byTrees.updateValue(differences, forKey: trees) == nil { state.count += differences.count }
    }
  }

  /// The entries in which two trees differ; nil when it was not noted.
  package subscript(trees: TreePair) -> [EntryDifference]? {
    state.withLock { $0.byTrees[trees] }
  }
}
