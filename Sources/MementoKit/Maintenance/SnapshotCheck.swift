// Follows snapshots down to their chunks. Each tree and each list is read once, however many share it: the work is that of
// what is stored, and not of the paths and lengths that it stands for.

internal import MementoStore

struct SnapshotCheck {
  /// What is done where something is hurt.
  enum AtDamage {
    /// It is put down, whatever it is.
    case report
    /// It is thrown.
    case stop
    /// What is missing or damaged is put down; what could not be looked at is thrown.
    case passOver
  }

  /// What is hurt in one blob of a tree.
  struct TreeDamage {
    /// The height of the blob.
    var level: UInt8 = 0
    /// Files that are hurt; without a name, the folder itself.
    var here: [(name: [UInt8]?, message: String)] = []
    /// Trees that are hurt: of a folder in it, or without a name a piece of the same folder.
    var below: [(name: [UInt8]?, tree: ObjectID)] = []

    var isEmpty: Bool { here.isEmpty && below.isEmpty }
  }

  /// What is hurt in one snapshot.
  struct Outcome {
    /// Nil when it could not be read.
    var record: SnapshotRecord?
    /// What has no path.
    var messages: [String] = []
    /// The tree, if something in it is hurt: see `hurt`.
    var tree: ObjectID?
  }

  /// What is known of a chunk list.
  private enum ListState {
    /// It stood where no list of this height can stand, and was not looked into.
    case height(UInt8)
    case whole(height: UInt8, length: UInt64)
    case hurt(height: UInt8, String)
  }

  /// Between which names the entries of a piece of a folder stand.
  private struct Span {
    var level: UInt8
    /// Nil for a piece without entries.
    var first: [UInt8]?
    var last: [UInt8]?
  }

  /// Trees that have something hurt in them, with all that is below them.
  private(set) var hurt: [ObjectID: TreeDamage] = [:]
  private var met = MetBlobs()
  private var lists: [ObjectID: ListState] = [:]
  private var spans: [ObjectID: Span] = [:]
  /// Lists of links and of unrecorded paths that were understood.
  private var readable: Set<[FileContent?]> = []
  private let store: Store
  private let monitor: any Monitor
  private let bad: Set<ObjectID>
  var atDamage = AtDamage.report
  private let presence: (ObjectID, _ length: UInt64) throws(StoreError) -> BlobPresence

  /// `bad`: blobs that no pack holds whole. `presence`: whether a pack holds a chunk.
  init(
    _ store: Store, monitor: any Monitor, bad: Set<ObjectID> = [],
    presence: @escaping (ObjectID, _ length: UInt64) throws(StoreError) -> BlobPresence
  ) {
    self.store = store
    self.monitor = monitor
    self.bad = bad
    self.presence = presence
  }

  /// All blobs that were met.
  var blobs: BlobSet { met.ids }

  /// Throws `.cancelled`, and what `atDamage` says; nothing else.
  mutating func check(_ id: ObjectID) throws(StoreError) -> Outcome {
    var outcome = Outcome()
    met.insert(id)
    let record: SnapshotRecord
    do throws(StoreError) {
      record = try SnapshotRecord.read(id, from: store)
    } catch {
      outcome.messages.append(try message(error))
      return outcome
    }
    outcome.record = record
    outcome.messages += try checkLists(of: record)
    switch record.body {
    case .value(let value):
      if let message = try check(value.content, size: value.size) { outcome.messages.append(message) }
    case .tree(let tree, _):
      try check(tree: tree)
      if hurt[tree] != nil { outcome.tree = tree }
    }
    return outcome
  }

  /// The lists beside the tree: whole, and such that a restore understands them.
  private mutating func checkLists(of record: SnapshotRecord) throws(StoreError) -> [String] {
    var messages: [String] = []
    for list in [record.links, record.unrecorded] {
      if let list, let message = try check(list.content, size: list.size) { messages.append(message) }
    }
    let own = [record.links, record.unrecorded].map { $0?.content }
    let isKnown = readable.contains(own) || own.allSatisfy { $0 == nil }
    if !messages.isEmpty || atDamage != .report || isKnown { return messages }
    do throws(RepositoryError) {
      _ = try SnapshotLists(store).links(of: record)
      _ = try SnapshotLists(store).unrecorded(of: record)
      readable.insert(own)
    } catch {
      messages.append(error.message)
    }
    return messages
  }

  /// What is said of an error, unless it ends the work.
  private func message(_ error: StoreError) throws(StoreError) -> String {
    if case .cancelled = error { throw error }
    if atDamage == .stop || (atDamage == .passOver && !error.isDamage) { throw error }
    return RepositoryError(error).message
  }

  // MARK: Trees

  /// A blob of a tree that is being looked at: done when all that it names has been.
  private struct Frame {
    let tree: ObjectID
    let isPiece: Bool
    var damage = TreeDamage()
    var span = Span(level: 0)
    var below: [(name: [UInt8]?, tree: ObjectID)] = []
    var next = 0
  }

  private mutating func check(tree root: ObjectID) throws(StoreError) {
    if isDone(root, isPiece: false) { return }
    var frames = [try enter(root, isPiece: false)]
    while let top = frames.indices.last {
      guard frames[top].next < frames[top].below.count else {
        try finish(frames.removeLast())
        continue
      }
      let (name, tree) = frames[top].below[frames[top].next]
      if isDone(tree, isPiece: name == nil) {
        if hurt[tree] != nil { frames[top].damage.below.append((name, tree)) }
        frames[top].next += 1
      } else {
        frames.append(try enter(tree, isPiece: name == nil))
      }
    }
  }

  private func isDone(_ tree: ObjectID, isPiece: Bool) -> Bool {
    hurt[tree] != nil || (isPiece ? spans[tree] != nil : met.isWholeTree(tree))
  }

  /// Reads one blob.
  private mutating func enter(_ tree: ObjectID, isPiece: Bool) throws(StoreError) -> Frame {
    if monitor.isCancelled { throw .cancelled }
    met.insert(tree)
    var frame = Frame(tree: tree, isPiece: isPiece)
    var reader = TreeReader(blob: tree, in: store)
    do throws(StoreError) {
      if bad.contains(tree) { throw .damaged(file: "tree \(tree.short)", reason: "no pack holds it whole") }
      while let entry = try reader.next() {
        if isPiece {
          if frame.span.first == nil { frame.span.first = entry.name }
          frame.span.last = entry.name
        }
        switch entry.content {
        case .directory(let below): frame.below.append((entry.name, below))
        case .file(let size, let content):
          if let message = try check(content, size: size) { frame.damage.here.append((entry.name, message)) }
        default: break
        }
      }
      frame.below += reader.inner.map { (nil, $0) }
    } catch {
      frame.damage.here.append((nil, try message(error)))
    }
    frame.damage.level = reader.level
    frame.span.level = reader.level
    return frame
  }

  private mutating func finish(_ done: Frame) throws(StoreError) {
    var frame = done
    if frame.damage.level > 0, frame.damage.isEmpty {
      do throws(FormatError) {
        try join(frame.below.map(\.tree), into: &frame.span)
      } catch {
        let damaged = StoreError.damaged(file: "tree \(frame.tree.short)", reason: error.reason)
        frame.damage.here.append((nil, try message(damaged)))
      }
    }
    if frame.isPiece { spans[frame.tree] = frame.span }
    if frame.damage.isEmpty { met.markWholeTree(frame.tree) } else { hurt[frame.tree] = frame.damage }
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
  private mutating func check(_ content: FileContent, size: UInt64) throws(StoreError) -> String? {
    switch content.level {
    case 0: nil
    case 1: try check(chunk: content.id, length: size)
    default: try check(list: content.id, level: content.level, length: size)
    }
  }

  private mutating func check(list id: ObjectID, level: UInt8, length: UInt64) throws(StoreError) -> String? {
    switch try state(of: id, level: level) {
    case .hurt(level, let message):
      return message
    case .whole(level, let total):
      if total == length { return nil }
      return try message(.damagedList(id, ChunkListFormat.wrongTotal))
    case .hurt, .whole, .height:
      return try message(.damagedList(id, FormatError("it is not a chunk list of height \(level)")))
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
    do throws(StoreError) {
      if bad.contains(id) { throw .damaged(file: "chunk list \(id.short)", reason: "no pack holds it whole") }
      var list = try ChunkListBlob(id, in: store)
      if list.level != level {
        state = .height(list.level)
      } else {
        var hurt: String?
        while let piece = try list.next() {
          guard let below = piece.id else { continue }
          let found =
            level == 2
            ? try check(chunk: below, length: piece.length)
            : try check(list: below, level: level - 1, length: piece.length)
          if hurt == nil { hurt = found }
        }
        state = hurt.map { .hurt(height: level, $0) } ?? .whole(height: level, length: list.total)
      }
    } catch {
      state = .hurt(height: level, try message(error))
    }
    lists[id] = state
    return state
  }

  private mutating func check(chunk id: ObjectID, length: UInt64) throws(StoreError) -> String? {
    if met.isChunk(id, length: length) { return nil }
    if bad.contains(id) { return "chunk \(id.short) is damaged" }
    switch try presence(id, length) {
    case .there:
      met.markChunk(id, length: length)
      return nil
    case .otherLength:
      if atDamage == .stop { throw .damaged(file: "chunk \(id.short)", reason: "it has the wrong length") }
      return "chunk \(id.short) has the wrong length"
    case .missing:
      if atDamage == .stop { throw .missing(id) }
      return "chunk \(id.short) is missing"
    }
  }
}

/// The blobs that a walk has met, and what it knows of them. One blob may be a chunk and a tree.
private struct MetBlobs {
  private(set) var ids = BlobSet()
  /// Of each: its length, if it was found as a chunk.
  private var lengths = ContiguousArray<UInt32>()
  private var isTree = ContiguousArray<Bool>()
  private static let unknown = UInt32.max

  @discardableResult
  mutating func insert(_ id: ObjectID) -> Int {
    let number = ids.number(inserting: id)
    if number == lengths.count {
      lengths.append(MetBlobs.unknown)
      isTree.append(false)
    }
    return number
  }

  func isWholeTree(_ id: ObjectID) -> Bool { ids.number(of: id).map { isTree[$0] } ?? false }

  mutating func markWholeTree(_ id: ObjectID) { isTree[insert(id)] = true }

  func isChunk(_ id: ObjectID, length: UInt64) -> Bool {
    ids.number(of: id).map { lengths[$0] != MetBlobs.unknown && UInt64(lengths[$0]) == length } ?? false
  }

  /// No blob is longer than a block, which is less than 2^32 bytes.
  mutating func markChunk(_ id: ObjectID, length: UInt64) { lengths[insert(id)] = UInt32(clamping: length) }
}
