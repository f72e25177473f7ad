// Walks snapshots down to their chunks and tells a visitor of each object once, however many share it: the work is that of
// what is stored, and not of the paths and lengths that it stands for. Memory is that of the ids, and of the folders on the
// way to where the walk is. No function calls itself for each level of a folder.

internal import MementoStore

struct SnapshotWalker<Visitor: SnapshotVisitor> {
  /// What is known of a chunk list.
  private enum ListState {
    /// It stood where no list of this height can stand, and was not looked into.
    case height(UInt8)
    case whole(height: UInt8, length: UInt64)
    case hurt(height: UInt8, SnapshotFault)
  }

  /// Between which names the entries of a piece of a folder stand.
  private struct Span {
    var level: UInt8
    /// Nil for a piece without entries.
    var first: [UInt8]?
    var last: [UInt8]?
  }

  var visitor: Visitor
  private var met: MetBlobs
  private let keepsPaths: Bool
  private var lists: [ObjectID: ListState] = [:]
  private var spans: [ObjectID: Span] = [:]
  private let source: any MetaSource
  private let monitor: any Monitor
  private let bad: Set<ObjectID>

  /// `monitor` can cancel. `bad`: blobs that no pack holds whole. `keepsPaths`: for `paths`.
  init(
    _ source: any MetaSource, monitor: any Monitor, bad: Set<ObjectID> = [], keepsPaths: Bool = false, visitor: Visitor
  ) {
    met = MetBlobs(keepsPaths: keepsPaths)
    self.keepsPaths = keepsPaths
    self.source = source
    self.monitor = monitor
    self.bad = bad
    self.visitor = visitor
  }

  /// All blobs that were met: those that could be read or found, and those that were looked for as a record, a tree or a list.
  var blobs: BlobSet { met.ids }

  /// Of each of these blobs: where in a snapshot it was first met. Only with `keepsPaths`.
  var paths: ContiguousArray<PathKey> { met.paths }

  /// The blobs that were met, which the walker does not know any more.
  mutating func release() -> BlobSet { met.release() }

  /// Walks a snapshot. Throws `.cancelled`, and what the visitor throws.
  mutating func walk(_ id: ObjectID) throws(StoreError) -> SnapshotFindings {
    var findings = SnapshotFindings()
    met.path = .none
    let isNew = met.mark(id, .readSnapshot)
    let record: SnapshotRecord
    do throws(StoreError) {
      record = try SnapshotRecord.decode(try source.readMeta(id), id)
    } catch {
      findings.faults.append(try fault(error))
      return findings
    }
    findings.record = record
    if isNew { try visitor.visit(snapshot: id, record) }
    for list in [record.links, record.unrecorded] {
      if let list, let fault = try walk(list.content, size: list.size) { findings.faults.append(fault) }
    }
    switch record.body {
    case .value(let value):
      if let fault = try walk(value.content, size: value.size) { findings.faults.append(fault) }
    case .tree(let tree, _):
      try walk(tree: tree)
      if met.has(tree, .hurtTree) { findings.hurtTree = tree }
    }
    return findings
  }

  /// What an error says of an object, unless it ends the walk.
  private mutating func fault(_ error: StoreError) throws(StoreError) -> SnapshotFault {
    if case .cancelled = error { throw error }
    return try fault(.unreadable(error))
  }

  private mutating func fault(_ fault: SnapshotFault) throws(StoreError) -> SnapshotFault {
    try visitor.meet(fault)
    return fault
  }

  // MARK: Trees

  /// A blob of a tree that is being looked at: done when all that it names has been.
  private struct Frame {
    let tree: ObjectID
    let isPiece: Bool
    let path: PathKey
    var damage = TreeDamage()
    var span = Span(level: 0)
    var below: [(name: [UInt8]?, tree: ObjectID)] = []
    var next = 0
  }

  private mutating func walk(tree root: ObjectID) throws(StoreError) {
    if isDone(root, isPiece: false) { return }
    var frames = [try enter(root, isPiece: false, .root)]
    while let top = frames.indices.last {
      guard frames[top].next < frames[top].below.count else {
        try finish(frames.removeLast())
        continue
      }
      let (name, tree) = frames[top].below[frames[top].next]
      if isDone(tree, isPiece: name == nil) {
        if met.has(tree, .hurtTree) { frames[top].damage.below.append((name, tree)) }
        frames[top].next += 1
      } else {
        let path = frames[top].path
        frames.append(try enter(tree, isPiece: name == nil, name.map { keepsPaths ? path.child($0) : path } ?? path))
      }
    }
  }

  private func isDone(_ tree: ObjectID, isPiece: Bool) -> Bool {
    if isPiece, spans[tree] != nil { return true }
    return met.has(tree, isPiece ? .hurtTree : [.hurtTree, .wholeTree])
  }

  /// Reads one blob.
  private mutating func enter(_ tree: ObjectID, isPiece: Bool, _ path: PathKey) throws(StoreError) -> Frame {
    if monitor.isCancelled { throw .cancelled }
    met.path = path
    let isNew = met.mark(tree, .readTree)
    var frame = Frame(tree: tree, isPiece: isPiece, path: path)
    var reader = TreeReader(blob: tree, in: source)
    var failure = bad.contains(tree) ? damage("tree", tree) : nil
    while failure == nil, let outline = SnapshotWalker.next(of: &reader, &failure) {
      if !isPiece, case .file(let size, let content) = outline.content, content.level == 1,
        let number = met.chunk(content.id, length: size),
        !isNew || visitor.visit(knownChunk: content.id, number: number, in: tree)
      {
        continue
      }
      let entry = reader.entry(outline)
      if isPiece {
        if frame.span.first == nil { frame.span.first = entry.name }
        frame.span.last = entry.name
      }
      try walk(entry, isNew: isNew, in: &frame)
    }
    if let failure {
      frame.damage.here.append((nil, try fault(failure).message))
    } else {
      frame.below += reader.inner.map { (nil, $0) }
      if isNew {
        for piece in reader.inner { try visitor.visit(piece: piece, of: tree) }
        try visitor.visit(tree: tree, level: reader.level)
      }
    }
    frame.damage.level = reader.level
    frame.span.level = reader.level
    return frame
  }

  /// The next entry; nil at the end, and when it cannot be read. What visitors throw does not come this way.
  private static func next(of reader: inout TreeReader<StoreError>, _ failure: inout StoreError?) -> EntryOutline? {
    do throws(StoreError) {
      return try reader.nextOutline()
    } catch {
      failure = error
      return nil
    }
  }

  private func damage(_ kind: String, _ id: ObjectID) -> StoreError {
    .damaged(file: "\(kind) \(id.short)", reason: "no pack holds it whole")
  }

  private mutating func walk(_ entry: TreeEntry, isNew: Bool, in frame: inout Frame) throws(StoreError) {
    if isNew { try visitor.visit(entry, in: frame.tree) }
    switch entry.content {
    case .directory(let below): frame.below.append((entry.name, below))
    case .file(let size, let content):
      if keepsPaths, content.level > 0 { met.path = frame.path.child(entry.name) }
      if let fault = try walk(content, size: size) { frame.damage.here.append((entry.name, fault.message)) }
    default: break
    }
  }

  private mutating func finish(_ done: Frame) throws(StoreError) {
    var frame = done
    if frame.damage.level > 0, frame.damage.isEmpty {
      do throws(FormatError) {
        try join(frame.below.map(\.tree), into: &frame.span)
      } catch {
        let damaged = StoreError.damaged(file: "tree \(frame.tree.short)", reason: error.reason)
        frame.damage.here.append((nil, try fault(damaged).message))
      }
    }
    if frame.isPiece { spans[frame.tree] = frame.span }
    if frame.damage.isEmpty {
      _ = met.mark(frame.tree, .wholeTree)
    } else {
      _ = met.mark(frame.tree, .hurtTree)
      try visitor.visit(hurtTree: frame.tree, frame.damage)
    }
  }

  /// Pieces that are whole themselves must fit together.
  private func join(_ pieces: [ObjectID], into span: inout Span) throws(FormatError) {
    for piece in pieces {
      guard let part = spans[piece], part.level + 1 == span.level else {
        throw FormatError("its height is not what it should be")
      }
      // Nothing stops a forged node from naming an empty piece again and again.
      guard let first = part.first, let last = part.last else { throw FormatError("one of its pieces is empty") }
      if let before = span.last, !before.lexicographicallyPrecedes(first) {
        throw FormatError("its entries are not sorted")
      }
      if span.first == nil { span.first = first }
      span.last = last
    }
  }

  // MARK: Contents

  /// What is wrong with a content; nil when it is whole.
  private mutating func walk(_ content: FileContent, size: UInt64) throws(StoreError) -> SnapshotFault? {
    switch content.level {
    case 0: nil
    case 1: try walk(chunk: content.id, length: size)
    default: try walk(list: content.id, level: content.level, length: size)
    }
  }

  private mutating func walk(list id: ObjectID, level: UInt8, length: UInt64) throws(StoreError) -> SnapshotFault? {
    switch try state(of: id, level: level) {
    case .hurt(level, let fault):
      return fault
    case .whole(level, let total):
      if total == length { return nil }
      return try fault(StoreError.damagedList(id, ChunkListFormat.wrongTotal))
    case .hurt, .whole, .height:
      return try fault(StoreError.damagedList(id, FormatError("it is not a chunk list of height \(level)")))
    }
  }

  /// Looks into a list of this height, once. The lists in it are lower by one, so this calls itself eleven times at most.
  private mutating func state(of id: ObjectID, level: UInt8) throws(StoreError) -> ListState {
    switch lists[id] {
    case .height(let found)? where found == level: break
    case let known?: return known
    case nil: break
    }
    if monitor.isCancelled { throw .cancelled }
    met.insert(id)
    let state: ListState
    switch readList(id) {
    case .failure(let error):
      state = .hurt(height: level, try fault(error))
    case .success(let list) where list.level != level:
      state = .height(list.level)
    case .success(let list):
      state = try look(into: list, id)
    }
    lists[id] = state
    return state
  }

  private func readList(_ id: ObjectID) -> Result<ChunkListBlob<StoreError>, StoreError> {
    if bad.contains(id) { return .failure(damage("chunk list", id)) }
    return Result { () throws(StoreError) in try ChunkListBlob(id, in: source) }
  }

  private mutating func look(into list: ChunkListBlob<StoreError>, _ id: ObjectID) throws(StoreError) -> ListState {
    var list = list
    let level = list.level
    var first: SnapshotFault?
    var failure: StoreError?
    while let piece = SnapshotWalker.next(of: &list, &failure) {
      guard let below = piece.id else { continue }
      try visitor.visit(part: below, of: id)
      let found =
        level == 2
        ? try walk(chunk: below, length: piece.length) : try walk(list: below, level: level - 1, length: piece.length)
      if first == nil { first = found }
    }
    if let failure { return .hurt(height: level, try fault(failure)) }
    try visitor.visit(list: id, level: level)
    return first.map { .hurt(height: level, $0) } ?? .whole(height: level, length: list.total)
  }

  /// The next piece; nil at the end, and when it cannot be read.
  private static func next(of list: inout ChunkListBlob<StoreError>, _ failure: inout StoreError?) -> ContentPiece? {
    do throws(StoreError) {
      return try list.next()
    } catch {
      failure = error
      return nil
    }
  }

  private mutating func walk(chunk id: ObjectID, length: UInt64) throws(StoreError) -> SnapshotFault? {
    if met.chunk(id, length: length) != nil { return nil }
    if bad.contains(id) { return try fault(.damaged(chunk: id)) }
    switch try visitor.presence(of: id, length: length) {
    case .there:
      if met.markChunk(id, length: length) { try visitor.visit(chunk: id, length: length) }
      return nil
    case .otherLength: return try fault(.otherLength(chunk: id))
    case .missing: return try fault(.missing(chunk: id))
    }
  }
}
