// Brings snapshots from one store into another: first what describes them, level by level, so that what is not here is
// asked for in as few requests as there are levels and blocks; then their contents.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// Used by one thread, for one operation.
struct SnapshotFetch: ~Copyable {
  /// Something that describes, and what of it is needed.
  private enum Node {
    case tree(ObjectID, PathFilter)
    case list(ObjectID, level: UInt8, Repository.RemoteNeed.Kind)

    var id: ObjectID {
      switch self {
      case .tree(let id, _): id
      case .list(let id, _, _): id
      }
    }
  }

  /// So many threads ask the remote at once.
  private static let mostReaders = 4

  /// So many descriptions are in memory at once. A level of a large folder has far more.
  private static let window = 4096

  private let source: Store
  private let target: Store
  private let monitor: any Monitor
  /// So many stored bytes are read with what lies between, where all is needed: it has to be in memory until then.
  private var ahead: UInt64 = 8 << 20
  private let writer: PackWriter
  private var meta: BlockWriter
  private var next: [Node] = []
  private var seen: Set<ObjectID> = []
  /// What was read from the source.
  private(set) var metaBlobs = 0
  private(set) var metaBytes: UInt64 = 0
  /// The chunks that are needed.
  private var chunks = BlobSet()

  init(from source: Store, to target: Store, monitor: any Monitor) throws(StoreError) {
    self.source = source
    self.target = target
    self.monitor = monitor
    writer = try target.packWriter()
    meta = target.blockWriter(writer, .meta)
  }

  /// Notes what is needed of snapshots, and reads all that describes it. `filter`: what is needed of their trees.
  mutating func add(
    _ snapshots: [ObjectID], _ need: Repository.RemoteNeed.Kind, _ filter: PathFilter = .all
  ) throws(StoreError) {
    let records = try read(snapshots)
    if need == .record { return }
    for (id, bytes) in zip(snapshots, records) {
      let record = try SnapshotRecord.decode(bytes, id)
      for list in [record.links, record.unrecorded] {
        // A list of names describes the snapshot, and is no content of a file.
        if let list { note(list.content, need == .lists ? .contents : need) }
      }
      switch record.body {
      case .value(let value): note(value.content, need)
      case .tree(let tree, _): next.append(.tree(tree, filter))
      }
    }
    while !next.isEmpty {
      if monitor.isCancelled { throw .cancelled }
      let level = next
      next = []
      for start in stride(from: 0, to: level.count, by: SnapshotFetch.window) {
        let nodes = level[start..<min(start + SnapshotFetch.window, level.count)]
        let blobs = try read(nodes.map(\.id), needsRest: filter.isAll)
        for (node, bytes) in zip(nodes, blobs) { try look(into: node, bytes, need) }
      }
    }
  }

  private mutating func note(_ content: FileContent, _ need: Repository.RemoteNeed.Kind) {
    guard need == .contents || need == .lists else { return }
    switch content.level {
    case 0: break
    case 1: if need == .contents { _ = chunks.insert(content.id) }
    default: if seen.insert(content.id).inserted { next.append(.list(content.id, level: content.level, need)) }
    }
  }

  private mutating func look(
    into node: Node, _ bytes: [UInt8], _ need: Repository.RemoteNeed.Kind
  ) throws(StoreError) {
    let source = OneBlob(id: node.id, bytes: bytes)
    switch node {
    case .tree(let id, let filter):
      var reader = TreeReader(blob: id, in: source)
      while let entry = try reader.next() {
        guard let inside = filter.inside(entry.name) else { continue }
        switch entry.content {
        case .directory(let below): note(tree: below, inside)
        case .file(_, let content): note(content, need)
        default: break
        }
      }
      for piece in reader.inner { note(tree: piece, filter) }
    case .list(let id, let level, let need):
      var list = try ChunkListBlob(id, in: source)
      try list.expect(level: level)
      while let piece = try list.next() {
        guard let below = piece.id else { continue }
        note(FileContent(level: level - 1, id: below), need)
      }
    }
  }

  /// A tree of which all is needed is looked into once.
  private mutating func note(tree: ObjectID, _ filter: PathFilter) {
    if filter.isAll, !seen.insert(tree).inserted { return }
    next.append(.tree(tree, filter))
  }

  /// The bytes of blobs that describe. Those that are not here are asked for together, and stored. `needsRest`: whatever is
  /// below them is needed, too.
  private mutating func read(_ ids: [ObjectID], needsRest: Bool = false) throws(StoreError) -> [[UInt8]] {
    var result = [[UInt8]](repeating: [], count: ids.count)
    var absent: [Int] = []
    for (number, id) in ids.enumerated() {
      do throws(StoreError) {
        guard try target.index.contains(id) else {
          absent.append(number)
          continue
        }
        result[number] = try target.read(id)
      } catch {
        // What is damaged here is whole there, it may be hoped.
        guard error.isDamage else { throw error }
        absent.append(number)
      }
    }
    if absent.isEmpty { return result }
    let blobs = try readSource(absent.map { ids[$0] }, needsRest)
    for (number, bytes) in zip(absent, blobs) {
      result[number] = bytes
      metaBlobs += 1
      metaBytes += UInt64(bytes.count)
      guard writer.claim(ids[number]) else { continue }
      var outcome = Result<Void, StoreError>.success(())
      bytes.withUnsafeBytes { bytes in
        outcome = Result { () throws(StoreError) in try meta.add(ids[number], bytes) }
      }
      try outcome.get()
    }
    return result
  }

  /// Reads from the source with several threads, each of them what lies side by side.
  private mutating func readSource(_ ids: [ObjectID], _ needsRest: Bool) throws(StoreError) -> [[UInt8]] {
    var places: [(place: Location, number: Int)] = []
    for (number, id) in ids.enumerated() {
      guard let place = try source.index.place(of: id) else { throw .missing(id) }
      places.append((place, number))
    }
    places.sort { $0.place.sortKey < $1.place.sortKey }
    let sorted = places
    // Blobs of one block are in one run: one thread unpacks it once.
    var ahead = needsRest ? ahead : 0
    let runs = StoredRun.divide(sorted.lazy.map(\.place), ahead: &ahead)
    if needsRest { self.ahead = ahead }
    let stack = WorkStack<Range<Int>>()
    stack.push(runs.reversed())
    let source = source
    let readers = (0..<min(SnapshotFetch.mostReaders, runs.count)).map { _ in WorkerReader(source.blobReader()) }
    let state = Mutex<(blobs: [[UInt8]], failure: StoreError?)>(([[UInt8]](repeating: [], count: ids.count), nil))
    stack.run(workers: readers.count) { worker, run in
      if state.withLock({ $0.failure != nil }) { return }
      do throws(StoreError) {
        let blobs = try readers[worker].blobs.withLock { (reader) throws(StoreError) in
          try SnapshotFetch.read(sorted[run].map { (ids[$0.number], $0.place) }, &reader)
        }
        state.withLock { state in
          for (place, bytes) in zip(sorted[run], blobs) { state.blobs[place.number] = bytes }
        }
      } catch {
        state.withLock { $0.failure = $0.failure ?? error }
      }
    }
    let (blobs, failure) = state.withLock { $0 }
    if let failure { throw failure }
    return blobs
  }

  private static func read(
    _ blobs: [(id: ObjectID, place: Location)], _ reader: inout BlobReader
  ) throws(StoreError) -> [[UInt8]] {
    reader.keep(blobs.map(\.place))
    var result: [[UInt8]] = []
    for (id, place) in blobs {
      do throws(StoreError) {
        result.append(try reader.withBlob(id, at: place) { Array($0) }.get())
      } catch {
        // Another pack may have an intact copy.
        result.append(try reader.read(id))
      }
    }
    return result
  }

  /// Whether anything of the source is needed.
  func needsContents() throws(StoreError) -> Bool {
    for number in 0..<chunks.count where !target.index.hasIntactCopy(chunks.ids[number]) { return true }
    return false
  }

  /// Stores what was read, and the contents. Everything is durable when this returns. Nothing names it yet.
  consuming func finish() throws(StoreError) -> (blobs: Int, rawBytes: UInt64, receivedBytes: UInt64) {
    let monitor = monitor
    let transfer = BlobTransfer(
      from: source, to: target, isCancelled: { monitor.isCancelled },
      moved: { monitor.advance(files: 0, bytes: $0) })
    let plan = try transfer.plan(chunks, asking: true)
    try transfer.run(plan)
    try meta.flush()
    try writer.finish(durably: true)
    return (metaBlobs + plan.blobCount, metaBytes + plan.rawBytes, metaBytes + plan.storedBytes)
  }

  /// What would be brought. Nothing is stored.
  consuming func leave() {
    writer.discard()
  }

  /// What would be brought. Nothing is stored.
  consuming func discard() throws(StoreError) -> (blobs: Int, rawBytes: UInt64, receivedBytes: UInt64) {
    let transfer = BlobTransfer(from: source, to: target, isCancelled: { false }, moved: { _ in })
    let plan = try transfer.plan(chunks, asking: true)
    writer.discard()
    return (metaBlobs + plan.blobCount, metaBytes + plan.rawBytes, metaBytes + plan.storedBytes)
  }
}

/// A source of one blob, which is in memory.
private struct OneBlob: BlobSource {
  let id: ObjectID
  let bytes: [UInt8]

  func readMeta(_ wanted: ObjectID) throws(StoreError) -> [UInt8] {
    guard wanted == id else { throw .missing(wanted) }
    return bytes
  }
}
