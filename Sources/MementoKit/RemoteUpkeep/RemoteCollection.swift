// Gives back the space of a remote that no name needs: marks packs, and removes those that were marked long ago.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoStore
internal import MementoSystem

struct RemoteCollection {
  /// From so many small indexes on, they are merged.
  private static let manyIndexes = 32
  /// A larger index is not worth being written anew.
  private static let smallIndex: UInt64 = 1 << 20

  let repository: Repository
  let access: RemoteAccess
  let monitor: any Monitor
  /// About how many bytes of tables an index has that replaces several.
  var largestIndex = IndexRecord.comfortable

  func run(_ remote: String?, isDryRun: Bool) throws(RepositoryError) -> RemoteCollectionSummary {
    let name = try RemoteList(repository: repository).chosen(remote)
    return try repository.reaching(name, .collectingGarbage, access, monitor) { (view) throws(RepositoryError) in
      let look = try RemoteLook(view)
      let needs = try look.needs(of: look.look.refs.table, monitor: monitor)
      let plan = CollectionPlan(
        look.look, grace: RemoteGrace.seconds, needed: needs.packs, sparse: Set(needs.sparse.keys),
        merging: try smallIndexes(look))
      var summary = summary(of: plan, look, needs, isDryRun: isDryRun)
      if !isDryRun {
        try execute(plan, look, needs, &summary)
        try view.remember()
      }
      return summary
    }
  }

  /// Marks and removes first: what is moved takes longer, and needs room.
  private func execute(
    _ plan: CollectionPlan, _ look: RemoteLook, _ needs: RemoteNeeds, _ summary: inout RemoteCollectionSummary
  ) throws(RepositoryError) {
    let storage = look.view.session.listed
    let collector = Collector(storage, grace: RemoteGrace.seconds, largestIndex: largestIndex)
    let isDone = try look.view.session.attempt { () throws(RemoteError) in
      var generator = SystemRandomNumberGenerator()
      return try collector.execute(
        plan, look.look, records: { (name) throws(RemoteError) in try RecordReading.index(name, in: storage) },
        using: &generator)
    }
    let moved = try RemoteRewriting(look: look, needs: needs, collector: collector, monitor: monitor)
      .run(plan.rewrite, besides: isDone ? plan.remove : [])
    if !isDone {
      summary.removed = RemotePackCount()
      summary.indexesReplaced = 0
      summary.recordsRemoved = 0
    }
    summary.isComplete = isDone && moved.isComplete
    summary.rewritten = RemoteCollection.count(moved.old, look) { _ in look.look.refs.now }
    summary.packsMade = moved.newPacks
    summary.bytesMoved = moved.newBytes
  }

  /// Readers ask for each index, so many small ones become few. Empty when there are not so many.
  private func smallIndexes(_ look: RemoteLook) throws(RepositoryError) -> Set<ObjectName> {
    guard look.look.indexes.current.count >= RemoteCollection.manyIndexes else { return [] }
    let listed = look.view.session.listed
    let page = try look.view.session.attempt { () throws(ObjectError) in
      try listed.list(IndexRecord.prefix, page: nil)
    }
    let small = page.objects.filter { $0.size <= RemoteCollection.smallIndex }.map(\.name)
    let merged = look.look.indexes.current.intersection(small)
    return merged.count >= RemoteCollection.manyIndexes ? merged : []
  }

  /// `due`: when a pack was marked, or what counts as that.
  private static func count(
    _ names: some Collection<ObjectID>, _ look: RemoteLook, due: (ObjectID) -> Timestamp?
  ) -> RemotePackCount {
    RemotePackCount(
      packs: names.count, bytes: names.reduce(0) { $0 + (look.look.packs[$1]?.size ?? 0) },
      due: names.compactMap(due).min().map { SnapshotTime($0.adding(seconds: RemoteGrace.seconds)) })
  }

  private func summary(
    of plan: CollectionPlan, _ look: RemoteLook, _ needs: RemoteNeeds, isDryRun: Bool
  ) -> RemoteCollectionSummary {
    let packs = look.look.packs
    let marks = look.look.marks.packs
    func count(_ names: some Collection<ObjectID>, _ due: (ObjectID) -> Timestamp?) -> RemotePackCount {
      RemoteCollection.count(names, look, due: due)
    }
    var result = RemoteCollectionSummary(remote: look.view.name, isCommitted: !isDryRun)
    result.all = count(packs.keys) { _ in nil }
    result.marked = count(plan.mark) { _ in look.look.refs.now }
    result.waiting = count(plan.waiting) { marks[$0] }
    result.kept = count(plan.kept) { _ in nil }
    result.young = count(plan.young) { packs[$0]?.modified }
    result.youngSparse = count(plan.youngSparse) { packs[$0]?.modified }
    result.removed = count(plan.remove) { _ in nil }
    result.rewritten = count(plan.rewrite) { _ in look.look.refs.now }
    result.bytesMoved = plan.rewrite.reduce(0) { $0 + (needs.sparse[$1] ?? 0) }
    result.rewriteThreshold = RemoteNeeds.threshold
    result.indexesReplaced = plan.replace.count
    result.recordsRemoved = plan.removeRecords.count
    return result
  }
}
