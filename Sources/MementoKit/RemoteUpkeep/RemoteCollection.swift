// Gives back the space of a remote that no name needs: marks packs, and removes those that were marked long ago.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoStore
internal import MementoSystem

struct RemoteCollection {
  /// From so many indexes on they are replaced by one, if they are small.
  private static let manyIndexes = 32
  /// A record of more bytes is too much for its readers.
  private static let largestMerge: UInt64 = 32 << 20

  let repository: Repository
  let access: RemoteAccess
  let monitor: any Monitor

  func run(_ remote: String?, isDryRun: Bool) throws(RepositoryError) -> RemoteCollectionSummary {
    let name = try RemoteList(repository: repository).chosen(remote)
    return try repository.reaching(name, .collectingGarbage, access, monitor) { (view) throws(RepositoryError) in
      let look = try RemoteLook(view)
      let plan = CollectionPlan(
        look.look, grace: RemoteGrace.seconds,
        needed: try look.neededPacks(for: look.look.refs.table, monitor: monitor),
        mergesIndexes: try mergesIndexes(look))
      var summary = summary(of: plan, look, isDryRun: isDryRun)
      if !isDryRun {
        summary.isComplete = try execute(plan, look)
        if !summary.isComplete {
          summary.removed = RemotePackCount()
          summary.indexesReplaced = 0
          summary.recordsRemoved = 0
        }
        try view.remember()
      }
      return summary
    }
  }

  private func execute(_ plan: CollectionPlan, _ look: RemoteLook) throws(RepositoryError) -> Bool {
    let storage = look.view.session.listed
    return try look.view.session.attempt { () throws(RemoteError) in
      var generator = SystemRandomNumberGenerator()
      return try Collector(storage, grace: RemoteGrace.seconds).execute(
        plan, look.look, records: { (name) throws(RemoteError) in try RecordReading.index(name, in: storage) },
        using: &generator)
    }
  }

  /// Readers ask for each index, so many small ones become one.
  private func mergesIndexes(_ look: RemoteLook) throws(RepositoryError) -> Bool {
    guard look.look.indexes.current.count >= RemoteCollection.manyIndexes else { return false }
    let listed = look.view.session.listed
    let page = try look.view.session.attempt { () throws(ObjectError) in
      try listed.list(IndexRecord.prefix, page: nil)
    }
    return page.objects.reduce(0) { $0 + $1.size } <= RemoteCollection.largestMerge
  }

  private func summary(of plan: CollectionPlan, _ look: RemoteLook, isDryRun: Bool) -> RemoteCollectionSummary {
    let packs = look.look.packs
    let marks = look.look.marks.packs
    func count(_ names: some Collection<ObjectID>, _ due: (ObjectID) -> Timestamp?) -> RemotePackCount {
      RemotePackCount(
        packs: names.count, bytes: names.reduce(0) { $0 + (packs[$1]?.size ?? 0) },
        due: names.compactMap(due).min().map { SnapshotTime($0.adding(seconds: RemoteGrace.seconds)) })
    }
    var result = RemoteCollectionSummary(remote: look.view.name, isCommitted: !isDryRun)
    result.all = count(packs.keys) { _ in nil }
    result.marked = count(plan.mark) { _ in look.look.refs.now }
    result.waiting = count(plan.waiting) { marks[$0] }
    result.kept = count(plan.kept) { _ in nil }
    result.young = count(plan.young) { packs[$0]?.modified }
    result.removed = count(plan.remove) { _ in nil }
    result.indexesReplaced = plan.replace.count
    result.recordsRemoved = plan.removeRecords.count
    return result
  }
}
