// Puts records in the place of damaged ones of a remote. Nothing is removed: a collection does that a grace period later.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoSeal
internal import MementoStore
internal import MementoSystem

/// Where what a damaged record said is not known, nothing is done, and nobody can push or collect meanwhile.
struct RemoteRecordRepair {
  let view: RemoteView
  /// The name of this machine.
  let host: String
  let monitor: any Monitor
  /// Records that cannot be read, among them indexes that are known here since they could be.
  let damaged: Set<ObjectName>

  private var session: RemoteSession { view.session }

  /// Returns how many records were put. The view tolerates damage.
  func run(_ look: RemoteLook) throws(RepositoryError) -> Int {
    var put = try repairFounder()
    put += try repairNames(look.look.refs)
    put += try repairIndexes(look)
    if !look.look.marks.unclosed.isEmpty { put += try repairMarks(RemoteLook(view)) }
    return put
  }

  /// Whoever has never been here finds the repository by the marker that `format/founder` names. This store knows which one
  /// that is.
  private func repairFounder() throws(RepositoryError) -> Int {
    let listed = session.listed
    let marker = session.marker.name
    do throws(RepositoryError) {
      let counting = try session.attempt { () throws(RemoteError) in try RepositoryFounding.marker(listed) }
      if counting == marker { return 0 }
    } catch {
      guard error.isDamage else { throw error }
    }
    let objects = session.objects
    try session.attempt { () throws(RemoteError) in try RepositoryFounding.confirm(marker, in: objects) }
    session.lookAnew()
    return 1
  }

  /// A record of names that this store has read, and that is damaged or gone: what it said is in the names that are known
  /// here, so a record of these names takes its place. One that another record has seen is replaced already, and one that nobody here has read
  /// has ended the look.
  private func repairNames(_ refs: RefsReading) throws(RepositoryError) -> Int {
    guard !view.lost.isEmpty || refs.damaged.contains(where: { !$0.isReplaced }) else { return 0 }
    view.memory.table.merge(refs.table)
    try view.commit(TableChange(), from: host)
    return 1
  }

  /// Packs say themselves what they hold. So an index of all packs that no other index names takes the place of damaged
  /// ones. It also names packs of pushes that go on or have died, as a push does that goes on from these.
  private func repairIndexes(_ look: RemoteLook) throws(RepositoryError) -> Int {
    let indexes = look.look.indexes
    let damaged = Set(indexes.damaged).union(indexes.current.intersection(damaged))
    if damaged.isEmpty { return 0 }
    let named = Set(indexes.listed.filter { !damaged.contains($0.name) }.flatMap(\.outline.packs))
    var records: [IndexRecord] = []
    var division = IndexDivision()
    for object in look.look.packs.keys.sorted() where !named.contains(object) {
      if monitor.isCancelled { throw .cancelled }
      guard let id = try view.adopt(object, look.remote), let entry = try view.indexEntry(of: id, look.remote) else {
        continue
      }
      if let full = division.add(entry) { records.append(full) }
    }
    // The last one says which ones they all replace.
    let last = division.finish() ?? IndexRecord(packs: [])
    records.append(IndexRecord(packs: last.packs, replaces: Array(damaged)))
    let listed = session.listed
    let now = try session.attempt { () throws(ObjectError) in try listed.list(MarkRecord.prefix, page: nil) }.now
    // An index that names packs from an old look could outlive their marks.
    guard now <= look.look.refs.now.adding(seconds: RemoteGrace.seconds / 2) else {
      throw RepositoryError(.remoteFailed, "\(session.url) took too long to answer; try again")
    }
    for record in records {
      try put(try session.attempt { () throws(RemoteError) in try record.encoded() }) { (generator) in
        IndexRecord.name(using: &generator)
      }
    }
    return records.count
  }

  /// Nobody knows which packs a damaged mark names. Those that names need cannot be about to be removed because of it: a
  /// pack is removed only after a look that has seen all names that were committed before its mark could be heeded. All
  /// others are marked, also those that are gone and that an index names still. One record does both, so whoever sees that
  /// the damaged one is closed sees what it may have marked.
  private func repairMarks(_ look: RemoteLook) throws(RepositoryError) -> Int {
    let marks = look.look.marks
    let needed = try look.needsAsFarAsKnown(monitor: monitor).packs
    let newest = marks.unclosed.map(\.modified).max() ?? look.look.refs.now
    var packs = Set(
      look.look.packs.filter { !needed.contains($0.key) && $0.value.modified <= newest }.keys)
    packs.formUnion(look.look.indexes.listed.flatMap(\.outline.packs).filter { look.look.packs[$0] == nil })
    packs.subtract(marks.packs.keys)
    guard packs.count <= MarkRecord.mostPacks else {
      throw RepositoryError(.remoteFailed, "\(session.url) has too many packs that nobody needs for one mark")
    }
    let record = MarkRecord(packs: Array(packs), closes: marks.unclosed.map(\.name))
    try put(record.encoded()) { (generator) in MarkRecord.name(using: &generator) }
    return 1
  }

  private func put(
    _ bytes: [UInt8], as name: (inout SystemRandomNumberGenerator) -> ObjectName
  ) throws(RepositoryError) {
    var generator = SystemRandomNumberGenerator()
    let name = name(&generator)
    let objects = session.objects
    try session.attempt { () throws(ObjectError) in try objects.put(ObjectBytes(bytes), as: name) }
  }
}
