// Plans the snapshots of a store without some paths: new trees up from these paths, and new records for all that change or
// that come after something that changes. All of it is in memory, so a dry run makes the same plan.

internal import MementoStore
internal import MementoSystem

struct HistoryRewrite {
  /// A snapshot as it is and as it becomes.
  struct Member {
    var record: SnapshotRecord
    /// As it is stored: a later version may have written lines that this one does not know.
    var bytes: [UInt8]
    /// Whether it must be whole: a name or a step keeps it, and not the trash alone.
    var isStrict: Bool
    /// Whether the snapshot has one of the paths.
    var hasPath = false
  }

  /// A tree without the paths.
  private struct NewTree {
    var id: ObjectID
    /// How many files and bytes it has more than before.
    var files: Int
    var bytes: Int64
    /// The numbers of the paths that it had.
    var found: [Int]
  }

  /// So many records of one tree are kept, as in `Reachability`.
  private static let longestChain = 1000
  /// The most bytes that a list beside a tree, or all names in it, may have.
  private static let longestNames = 1 << 28

  private let repository: Repository
  private let store: Store
  private let monitor: any Monitor
  private let paths: [BytePath]
  private let filter: PathFilter
  private let chunker: Chunker
  private let writer: ObjectWriter
  /// All trees, lists and records that are new.
  let objects: ScratchObjects
  private(set) var members: [ObjectID: Member] = [:]
  /// The new snapshot for each that changes.
  private(set) var exchanged: [ObjectID: ObjectID] = [:]
  /// How many snapshots have each of the paths.
  private(set) var holders: [Int]
  /// What is at the paths.
  private(set) var content = PurgedContent()
  private var trees: [ObjectID: NewTree?] = [:]
  private var lists: [SizedContent: SizedContent?] = [:]

  init(_ repository: Repository, without paths: [BytePath], monitor: any Monitor) {
    self.repository = repository
    store = repository.store
    self.monitor = monitor
    self.paths = paths
    filter = PathFilter(paths)
    chunker = Chunker(sizes: store.config.chunkSizes)
    objects = ScratchObjects(over: store)
    writer = ObjectWriter(.memory(objects), store: store)
    holders = paths.map { _ in 0 }
    objects.insert(TreeFormat.empty, [TreeFormat.tag, 0, 0])
  }

  /// Plans it for everything that gc keeps. Throws when something that must be whole is not: nothing can be changed then.
  mutating func run(_ refs: Refs) throws(RepositoryError) {
    try gather(refs)
    if paths.isEmpty { return }
    for id in order() {
      if monitor.isCancelled { throw .cancelled }
      do throws(StoreError) {
        try rewrite(id)
      } catch {
        throw refusal(id, refs, error)
      }
    }
  }

  /// The new snapshot for one; the same when it does not change.
  func now(_ id: ObjectID) -> ObjectID { exchanged[id] ?? id }

  /// The error for a snapshot that cannot be read as a whole.
  func refusal(_ id: ObjectID, _ refs: Refs, _ error: StoreError) -> RepositoryError {
    var refusal = RepositoryError(error)
    guard error.isDamage else { return refusal }
    let names = refs.states.names(of: id)
    let what = names.first.map { "the state \"\($0)\"" } ?? "the snapshot \(id.short)"
    refusal.message = "\(what) cannot be rewritten, and nothing was changed: \(refusal.message)"
    refusal.code = .damaged
    refusal.reason = .unwritableSnapshot
    refusal.revision = Revision(names.first ?? id.description)
    return refusal
  }

  // MARK: Which snapshots there are

  private mutating func gather(_ refs: Refs) throws(RepositoryError) {
    let strict = refs.roots
    let trash = try translating { () throws(StoreError) in try store.refs.trash(refs).map(\.snapshot) }
    for id in strict.sorted() {
      do throws(StoreError) { try add(id, isStrict: true) } catch { throw refusal(id, refs, error) }
    }
    for id in trash where members[id] == nil {
      do throws(StoreError) {
        // gc has removed what the trash no longer keeps.
        if try store.index.contains(id) { try add(id, isStrict: false) }
      } catch {
        throw refusal(id, refs, error)
      }
    }
  }

  /// Adds a snapshot, and the records before it that hold the same tree: gc keeps these, too.
  private mutating func add(_ id: ObjectID, isStrict: Bool) throws(StoreError) {
    if members[id] != nil { return }
    var member = try read(id, isStrict: isStrict)
    members[id] = member
    for _ in 0..<HistoryRewrite.longestChain {
      guard let parent = member.record.parent, members[parent] == nil, let tree = member.record.tree,
        try store.index.contains(parent)
      else { return }
      do throws(StoreError) {
        let before = try read(parent, isStrict: false)
        guard before.record.tree == tree else { return }
        member = before
      } catch {
        // Nothing promises that it is whole, and gc passes over what is not.
        guard error.isDamage else { throw error }
        return
      }
      members[parent] = member
    }
  }

  private func read(_ id: ObjectID, isStrict: Bool) throws(StoreError) -> Member {
    let bytes = try store.read(id)
    return Member(record: try SnapshotRecord.decode(bytes, id), bytes: bytes, isStrict: isStrict)
  }

  /// All members, each after those that its record names.
  private func order() -> [ObjectID] {
    var result: [ObjectID] = []
    var done: Set<ObjectID> = []
    for id in members.keys.sorted() {
      var stack = [id]
      while let top = stack.last {
        let before = [members[top]?.record.parent, members[top]?.record.replaces].compactMap(\.self)
          .filter { members[$0] != nil && !done.contains($0) }
        // An id is a hash of what names it, so there is no circle.
        if before.isEmpty {
          stack.removeLast()
          if done.insert(top).inserted { result.append(top) }
        } else {
          stack += before
        }
      }
    }
    return result
  }

  // MARK: Rewriting

  private mutating func rewrite(_ id: ObjectID) throws(StoreError) {
    guard let member = members[id] else { return }
    var record = member.record
    record.parent = record.parent.map(now)
    record.replaces = record.replaces.map(now)
    if case .tree(let tree, let root) = record.body {
      var found: Set<Int> = []
      if let new = try rewritten(tree) {
        record.body = .tree(new.id, root)
        record.files = Int(clamping: Int64(clamping: record.files).addingWithLimit(Int64(clamping: new.files)))
        record.bytes = UInt64(clamping: Int64(clamping: record.bytes).addingWithLimit(new.bytes))
        found.formUnion(new.found)
      }
      record.links = try rewritten(record.links, HistoryRewrite.links)
      record.unrecorded = try rewritten(record.unrecorded, HistoryRewrite.unrecorded)
      if record.unrecorded != member.record.unrecorded {
        let (before, after) = (try problems(member.record), try problems(record))
        found.formUnion(paths.indices.filter { number in before.contains { covers(number, $0.path) } })
        record.isComplete = after.allSatisfy(\.isNote)
      }
      try count(id, &record, since: member.record.parent)
      members[id]?.hasPath = !found.isEmpty
      for number in found { holders[number] += 1 }
    }
    if record == member.record { return }
    // It tells of paths that were taken out. Without it, a log reads the trees.
    record.touched = nil
    exchanged[id] = try writer.storeMeta(record.encoded(withUnknownLinesOf: member.bytes))
  }

  private func covers(_ number: Int, _ path: BytePath) -> Bool {
    PathFilter([paths[number]]).contains(path.bytes)
  }

  /// The tree without the paths. Nil when it has none of them.
  private mutating func rewritten(_ tree: ObjectID) throws(StoreError) -> NewTree? {
    if let known = trees[tree] { return known }
    var found: [Int] = []
    for (number, path) in paths.enumerated() {
      guard let entry = try TreePath.entry(path, in: tree, store) else { continue }
      found.append(number)
      try content.add(entry, from: store)
    }
    var new: NewTree?
    if !found.isEmpty {
      // What an empty folder has at the paths: nothing.
      let id = try TreeComposer(
        source: objects, filter: filter, kept: nil, keepExtra: false, takesTimes: false, writer: writer
      ).run(current: tree, target: TreeFormat.empty)
      let (files, bytes) = try TreeDiff(old: store, new: objects, monitor: monitor).totals(from: tree, to: id)
      new = NewTree(id: id, files: files, bytes: bytes, found: found)
    }
    trees[tree] = .some(new)
    return new
  }

  /// Counts the changes anew. Where the snapshot before is gone, the counts stay.
  private func count(_ id: ObjectID, _ record: inout SnapshotRecord, since parent: ObjectID?) throws(StoreError) {
    guard let tree = record.tree else { return }
    let before = parent.flatMap { members[$0]?.record.tree }
    if parent != nil, before == nil { return }
    let now = before.map { before in trees[before].flatMap { $0?.id } ?? before }
    if tree == members[id]?.record.tree, now == before { return }
    do throws(StoreError) {
      record.changes = try TreeDiff(old: objects, new: objects, monitor: monitor).counts(from: now, to: tree)
    } catch {
      // The counts are for people. What is damaged is found when the snapshots are walked.
      guard error.isDamage else { throw error }
    }
  }

  // MARK: Lists beside the tree

  /// A list without the paths; the same when it has none of them. `change`: nil when nothing is left of it.
  private mutating func rewritten(
    _ list: SizedContent?, _ change: ([UInt8], PathFilter) throws(FormatError) -> [UInt8]?
  ) throws(StoreError) -> SizedContent? {
    guard let list else { return nil }
    if let known = lists[list] { return known }
    let old = try bytes(of: list)
    let new: [UInt8]?
    do throws(FormatError) {
      new = try change(old, filter)
    } catch {
      throw .damaged(file: "snapshot", reason: error.reason)
    }
    let result = new == old ? list : try new.map { (bytes) throws(StoreError) in try store(bytes) }
    lists[list] = .some(result)
    return result
  }

  private static func links(_ bytes: [UInt8], _ filter: PathFilter) throws(FormatError) -> [UInt8]? {
    let old = try LinkTable.decode(bytes, limit: longestNames)
    let groups = old.map { $0.filter { !filter.contains($0) } }.filter { $0.count > 1 }
    if groups == old { return bytes }
    return groups.isEmpty ? nil : LinkTable.encode(groups.sorted { $0[0].lexicographicallyPrecedes($1[0]) })
  }

  private static func unrecorded(_ bytes: [UInt8], _ filter: PathFilter) throws(FormatError) -> [UInt8]? {
    let old = try UnrecordedList.decode(bytes)
    let new = old.filter { !filter.contains($0.path.bytes) }
    if new.count == old.count { return bytes }
    return new.isEmpty ? nil : UnrecordedList.encode(new)
  }

  private func problems(_ record: SnapshotRecord) throws(StoreError) -> [Problem] {
    guard let list = record.unrecorded else { return [] }
    let bytes = try bytes(of: list)
    do throws(FormatError) {
      return try UnrecordedList.decode(bytes)
    } catch {
      throw .damaged(file: "snapshot", reason: error.reason)
    }
  }

  /// The bytes of a list, which may be one that this has made.
  private func bytes(of list: SizedContent) throws(StoreError) -> [UInt8] {
    guard list.size <= UInt64(HistoryRewrite.longestNames) else {
      throw .damaged(file: "snapshot", reason: "one of its lists is too long")
    }
    var reader = ChunkListReader(list.content, size: list.size, in: objects)
    var bytes: [UInt8] = []
    while let piece = try reader.next() {
      guard let id = piece.id else { throw .damaged(file: "snapshot", reason: "one of its lists has a hole") }
      bytes += try objects.readMeta(id)
      guard UInt64(bytes.count) <= list.size else {
        throw .damaged(file: "snapshot", reason: "one of its lists is longer than it says")
      }
    }
    return bytes
  }

  private func store(_ bytes: [UInt8]) throws(StoreError) -> SizedContent {
    var builder = ChunkListBuilder()
    var start = 0
    while start < bytes.count {
      let length = bytes.withUnsafeBytes { chunker.firstCut(in: UnsafeRawBufferPointer(rebasing: $0[start...])) }
      let id = try writer.storeMeta(Array(bytes[start..<start + length]))
      try builder.append(ContentPiece(length: UInt64(length), id: id), to: writer)
      start += length
    }
    return SizedContent(size: UInt64(bytes.count), content: try builder.finish(writer))
  }
}
