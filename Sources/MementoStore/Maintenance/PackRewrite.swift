// Copies what is needed of some packs into new packs, on all cores. What the newest snapshots need stays in the order in
// which it lies. Of the rest, versions of a path come side by side, in packs of their own.

internal import MementoSystem
internal import Synchronization

struct PackRewrite: Sendable {
  /// A blob to copy: 32 bytes.
  private struct Copy: Sendable {
    let key: PathKey
    /// In the set of needed blobs.
    let number: UInt32
    /// The place among the packs that are copied, the place of the block in it, and that of the blob in the block.
    let pack: UInt32
    let block: UInt32
    let offset: UInt32
    let length: UInt32
  }

  private enum Task: Sendable {
    case walk(Range<Int>)
    case versions(Range<Int>, BlockKind)
  }

  /// Each worker takes about 50 MiB.
  private static let mostWorkers = 4
  /// So much is copied as one task, in bytes before compression.
  private static let taskSize = 4 << 20

  let store: Store
  let packs: [PackContents]
  let needed: BlobSet
  /// Nil: everything stays in the order in which it lies.
  let order: BlobOrder?
  /// For each blob that several packs hold, the pack with an intact copy.
  let keepers: [ObjectID: ObjectID]
  /// Whether versions come side by side. If not, all blobs stay in the order in which they lie.
  var sortsVersions = true
  let isCancelled: @Sendable () -> Bool

  /// Returns the names of the new packs, which are durable, read back and visible. When it throws, no blob of the old
  /// packs is needed less than before.
  func run() throws(StoreError) -> Set<ObjectID> {
    let leaving = Set(packs.map(\.id))
    let versionsCompression = order == nil || !sortsVersions ? nil : store.config.compression.ofVersions
    let walked = try store.packWriter(ignoring: leaving)
    let versions = try store.packWriter(ignoring: leaving)
    do throws(StoreError) {
      let (walk, data, meta) = try sorted(claiming: walked, areVersionsSorted: versionsCompression != nil)
      try copy(walk, data, meta, walked, versions, versionsCompression ?? store.config.compression)
      let written = try walked.finish(durably: true, readingBack: true)
      return written.union(try versions.finish(durably: true, readingBack: true))
    } catch {
      walked.discard()
      versions.discard()
      throw error
    }
  }

  /// What is to be copied: in the order in which it lies, and sorted versions of files and of folders.
  private func sorted(
    claiming writer: PackWriter, areVersionsSorted: Bool
  ) throws(StoreError) -> (walk: [Copy], data: [Copy], meta: [Copy]) {
    var walk: [Copy] = []
    var data: [Copy] = []
    var meta: [Copy] = []
    var copied: Set<ObjectID> = []
    for (packNumber, pack) in packs.enumerated() {
      var blob = 0
      for (blockNumber, block) in pack.contents.blocks.enumerated() {
        if isCancelled() { throw .cancelled }
        var offset: UInt32 = 0
        for _ in 0..<block.blobCount {
          let record = pack.contents.blobs[blob]
          blob += 1
          defer { offset += record.length }
          guard let number = needed.number(of: record.id) else { continue }
          // A pack that stays may hold the blob too, but damaged. So copy the blob if its intact copy is here.
          let isKeeper = keepers[record.id] == pack.id && !copied.contains(record.id)
          guard writer.claim(record.id) || isKeeper else { continue }
          if keepers[record.id] != nil { copied.insert(record.id) }
          let key = areVersionsSorted ? order?.keyOfVersion(number) : nil
          let copy = Copy(
            key: key ?? .none, number: UInt32(number), pack: UInt32(packNumber), block: UInt32(blockNumber),
            offset: offset, length: record.length)
          if key == nil || Int(record.length) > VersionBlocks.largestBlob(block.kind) {
            walk.append(copy)
          } else if block.kind == .data {
            data.append(copy)
          } else {
            meta.append(copy)
          }
        }
      }
    }
    data.sort { ($0.key, $0.number) < ($1.key, $1.number) }
    meta.sort { ($0.key, $0.number) < ($1.key, $1.number) }
    return (walk, data, meta)
  }

  // MARK: Copying

  private func copy(
    _ walk: [Copy], _ data: [Copy], _ meta: [Copy], _ walked: PackWriter, _ versions: PackWriter,
    _ versionsCompression: Compression
  ) throws(StoreError) {
    var tasks: [Task] = walkTasks(walk).map { .walk($0) }
    for (list, kind) in [(data, BlockKind.data), (meta, .meta)] {
      tasks += VersionBlocks.cut(
        list.indices, limit: VersionBlocks.limit(kind), length: { Int(list[$0].length) }, key: { list[$0].key }
      ).map { .versions($0, kind) }
    }
    if tasks.isEmpty { return }
    let count = max(1, min(Host.processorCount(), PackRewrite.mostWorkers, tasks.count))
    // Without an order nobody knows what is new: the blocks count as those of a save.
    let arrangement = order == nil ? Arrangement.walk : .compressedWalk
    let workers = (0..<count).map { _ in
      WorkerBox(
        Worker(
          reader: store.blobReader(), data: store.blockWriter(walked, .data, arrangement),
          meta: store.metaBlockWriter(walked, arrangement),
          versions: VersionBlockWriter(versions, versionsCompression)))
    }
    let numbers = packs.map { store.index.directory.number(of: $0.id) }
    let failure = Mutex<StoreError?>(nil)
    let stack = WorkStack<Task>()
    stack.push(tasks.reversed())
    stack.run(workers: count) { number, task in
      if failure.withLock({ $0 != nil }) { return }
      do throws(StoreError) {
        try workers[number].worker.withLock { (worker) throws(StoreError) in
          switch task {
          case .walk(let range): try self.copy(walk[range], numbers, &worker)
          case .versions(let range, let kind):
            try self.copy((kind == .data ? data : meta)[range], kind, numbers, &worker)
          }
        }
      } catch {
        failure.withLock { $0 = $0 ?? error }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
    for box in workers {
      try box.worker.withLock { (worker) throws(StoreError) in
        try worker.data.flush()
        try worker.meta.flush()
      }
    }
  }

  /// Runs of whole blocks.
  private func walkTasks(_ list: [Copy]) -> [Range<Int>] {
    var tasks: [Range<Int>] = []
    var start = 0
    var size = 0
    for place in list.indices {
      let isNewBlock =
        place > 0 && (list[place].pack, list[place].block) != (list[place - 1].pack, list[place - 1].block)
      if isNewBlock, size >= PackRewrite.taskSize {
        tasks.append(start..<place)
        start = place
        size = 0
      }
      size += Int(list[place].length)
    }
    if start < list.count { tasks.append(start..<list.count) }
    return tasks
  }

  private func copy(
    _ list: ArraySlice<Copy>, _ numbers: [UInt32?], _ worker: inout Worker
  ) throws(StoreError) {
    var place = list.startIndex
    while place < list.endIndex {
      if isCancelled() { throw .cancelled }
      let block = (list[place].pack, list[place].block)
      var end = place
      while end < list.endIndex, (list[end].pack, list[end].block) == block { end += 1 }
      let kind = packs[Int(block.0)].contents.blocks[Int(block.1)].kind
      let last = Int(list[end - 1].offset) + Int(list[end - 1].length)
      for copy in list[place..<end] {
        let id = needed.ids[Int(copy.number)]
        let bytes = try read(copy, upTo: last, numbers, &worker.reader)
        var outcome = Result<Void, StoreError>.success(())
        bytes.withUnsafeBytes { bytes in
          outcome = Result { () throws(StoreError) in
            switch kind {
            case .data: try worker.data.add(id, bytes)
            case .meta: try worker.meta.add(id, bytes)
            }
          }
        }
        try outcome.get()
      }
      place = end
    }
  }

  /// Makes one block. Its blobs are read in the order in which they lie, so that nothing is unpacked twice.
  private func copy(
    _ list: ArraySlice<Copy>, _ kind: BlockKind, _ numbers: [UInt32?], _ worker: inout Worker
  ) throws(StoreError) {
    if isCancelled() { throw .cancelled }
    var offsets: [Int] = []
    var size = 0
    for copy in list {
      offsets.append(size)
      size += Int(copy.length)
    }
    let records = list.map { BlobRecord(id: needed.ids[Int($0.number)], length: $0.length) }
    let reading = list.indices.sorted { left, right in
      let (left, right) = (list[left], list[right])
      return (left.pack, left.block, left.offset) < (right.pack, right.block, right.offset)
    }
    let block = worker.versions.block
    var place = 0
    while place < reading.count {
      let source = list[reading[place]]
      var end = place
      while end < reading.count, list[reading[end]].pack == source.pack, list[reading[end]].block == source.block {
        end += 1
      }
      let last = list[reading[end - 1]]
      for index in reading[place..<end] {
        let bytes = try read(list[index], upTo: Int(last.offset) + Int(last.length), numbers, &worker.reader)
        let offset = offsets[index - list.startIndex]
        UnsafeMutableRawBufferPointer(rebasing: block[offset..<offset + bytes.count]).copyBytes(from: bytes)
      }
      place = end
    }
    try worker.versions.write(kind, records, size: size)
  }

  /// Reads a blob and checks it against its id. If it is damaged, gc ends here and nothing is lost. `end`: how much of the
  /// block is going to be read.
  private func read(
    _ copy: Copy, upTo end: Int, _ numbers: [UInt32?], _ reader: inout BlobReader
  ) throws(StoreError) -> [UInt8] {
    let id = needed.ids[Int(copy.number)]
    guard let number = numbers[Int(copy.pack)] else { return try reader.read(id) }
    let block = packs[Int(copy.pack)].contents.blocks[Int(copy.block)]
    let place = Location(pack: number, block: block, offset: copy.offset, length: copy.length)
    do throws(StoreError) {
      return try reader.withBlob(id, at: place, end: end) { Array($0) }.get()
    } catch {
      // Another pack may hold it undamaged.
      return try reader.read(id)
    }
  }
}

/// What one worker has for itself.
private struct Worker: ~Copyable {
  var reader: BlobReader
  var data: BlockWriter
  var meta: MetaBlockWriter
  var versions: VersionBlockWriter
}

/// Holds what one worker has.
private final class WorkerBox: Sendable {
  let worker: Mutex<Worker>

  init(_ worker: consuming sending Worker) {
    self.worker = Mutex(worker)
  }
}
