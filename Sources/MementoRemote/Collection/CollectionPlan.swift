// What a collection does with a remote: computed from one look and from what the names need.

package import MementoModel
package import MementoObjects
internal import MementoTime

/// Marks packs that nobody needs, and removes those that were marked long enough ago and that nobody needs even now.
package struct CollectionPlan: Equatable, Sendable {
  /// Packs that are marked now. They stay readable, and a later collection removes them.
  package private(set) var mark: [ObjectID] = []
  /// Packs that were marked earlier, and whose time has not come.
  package private(set) var waiting: [ObjectID] = []
  /// Packs that are marked and needed all the same: somebody has pushed names while they were marked. They stay.
  package private(set) var kept: [ObjectID] = []
  /// Packs that are removed now.
  package private(set) var remove: [ObjectID] = []
  /// Packs that nobody needs yet, and that are so new that a push may be about to name them.
  package private(set) var young: [ObjectID] = []
  /// Packs of which little is needed: that is moved into new ones, and these are marked.
  package private(set) var rewrite: [ObjectID] = []
  /// Same, of which a push may be about to need more, since they are new.
  package private(set) var youngSparse: [ObjectID] = []
  /// Indexes that are replaced by others that do not name `dropped`.
  package private(set) var replace: [ObjectName] = []
  /// Packs that are gone or removed now.
  package private(set) var dropped: Set<ObjectID> = []
  /// Marks that are closed now: their packs are gone, and no index names them.
  package private(set) var close: [ObjectName] = []
  /// Marks, indexes and refs records that are not needed any more.
  package private(set) var removeRecords: [ObjectName] = []

  /// - Parameters:
  ///   - look: what the collection has seen.
  ///   - grace: how long a marked pack stays, in seconds.
  ///   - needed: the packs that blobs need which names need: all that `look.needed` gave for them.
  ///   - sparse: those of `needed` of which so little is needed that it is worth moving.
  ///   - merging: indexes that are to be replaced also if they name only packs that stay.
  package init(
    _ look: CollectionLook, grace: Int64, needed: Set<ObjectID>, sparse: Set<ObjectID> = [],
    merging: Set<ObjectName> = []
  ) {
    func isOld(_ time: Timestamp) -> Bool { time.adding(seconds: grace) <= look.refs.now }

    for (pack, object) in look.packs.sorted(by: { $0.key < $1.key }) {
      if let marked = look.marks.packs[pack] {
        if needed.contains(pack) {
          kept.append(pack)
        } else if isOld(marked) {
          remove.append(pack)
        } else {
          waiting.append(pack)
        }
      } else if !needed.contains(pack) {
        if isOld(object.modified) { mark.append(pack) } else { young.append(pack) }
      } else if sparse.contains(pack) {
        if isOld(object.modified) { rewrite.append(pack) } else { youngSparse.append(pack) }
      }
    }

    let gone = Set(look.marks.packs.filter { look.packs[$0.key] == nil && isOld($0.value) }.keys)
    dropped = gone.union(remove)
    let current = look.indexes.listed.filter { look.indexes.current.contains($0.name) }
    replace = current.filter { index in
      merging.contains(index.name) || index.outline.packs.contains(where: dropped.contains)
    }.map(\.name).sorted()
    if replace.count < 2 && dropped.isEmpty { replace = [] }

    let named = Set(look.indexes.listed.flatMap(\.outline.packs))
    let unread = look.indexes.replaced.keys.filter { old in !look.indexes.listed.contains { $0.name == old } }
    var closed: [ObjectName: Timestamp] = [:]
    for mark in look.marks.marks {
      for name in mark.record.closes { closed[name] = min(closed[name] ?? mark.modified, mark.modified) }
    }
    let listed = Set(look.marks.marks.map(\.name) + look.marks.damaged.map(\.name))
    for mark in look.marks.marks where unread.isEmpty && isOld(mark.modified) {
      if mark.record.packs.isEmpty {
        // It only closes others. When these are gone, it says nothing any more.
        if listed.isDisjoint(with: mark.record.closes) { removeRecords.append(mark.name) }
        continue
      }
      guard mark.record.packs.allSatisfy({ look.packs[$0] == nil && !named.contains($0) }) else { continue }
      if let time = closed[mark.name] {
        // A damaged mark counts as closed as long as the mark is there that closes it.
        if isOld(time), listed.isDisjoint(with: mark.record.closes) { removeRecords.append(mark.name) }
      } else {
        close.append(mark.name)
      }
    }
    for mark in look.marks.damaged {
      if let time = closed[mark.name], isOld(time) { removeRecords.append(mark.name) }
    }
    for (name, time) in look.indexes.replaced where isOld(time) { removeRecords.append(name) }
    removeRecords += look.refs.superseded(grace: grace).map(RefsRecord.name)
    removeRecords.sort()
  }

  package var isEmpty: Bool {
    mark.isEmpty && remove.isEmpty && rewrite.isEmpty && replace.isEmpty && close.isEmpty && removeRecords.isEmpty
  }
}
