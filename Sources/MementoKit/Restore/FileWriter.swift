// Writes files with their content and metadata: each block is unpacked once, and what lies in it goes to all the files it
// belongs to. All cores; memory follows the number of files, not their size.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// A place where a file is to be made.
protocol WritePlace: Sendable {
  func open() throws(Errno) -> SharedDescriptor
  /// The path of a name in it, for messages.
  func path(of name: [UInt8]) -> BytePath
}

extension DirectoryHandle: WritePlace {}

/// One file, link, fifo or device to make.
struct WriteOrder: Sendable {
  let place: any WritePlace
  let name: [UInt8]
  let entry: TreeEntry
  /// The number of the item in a plan.
  var item = 0

  var path: BytePath { place.path(of: name) }
}

final class FileWriter: Sendable {
  /// A stretch of a file and the blob it comes from.
  private struct Job: Sendable {
    let place: Location
    let id: ObjectID
    let order: Int32
    let offset: UInt64
  }

  private let store: Store
  private let orders: [WriteOrder]
  private let tally: WriteTally
  private let metadata: MetadataWriter
  /// Files of several chunks, while they are written.
  private let parts: [Int32: PartialFile]
  private let jobs: [Job]
  /// Where in `jobs` each block begins.
  private let blocks: [Int]

  /// Finds every chunk; throws when one is not in the store. `folder`: the top of what they are written into.
  init(
    _ orders: [WriteOrder], into folder: SharedDescriptor, from store: Store, _ rights: RestoreRights,
    tally: WriteTally
  ) throws(StoreError) {
    self.store = store
    self.orders = orders
    self.tally = tally
    metadata = MetadataWriter(tally.problems, rights, makingFilesIn: folder)
    var jobs: [Job] = []
    var parts: [Int32: PartialFile] = [:]
    for (index, order) in orders.enumerated() {
      guard case .file(let size, let content) = order.entry.content, content.level > 0 else { continue }
      let number = Int32(index)
      if content.level == 1 {
        jobs.append(try FileWriter.job(content.id, length: size, order: number, offset: 0, in: store))
        continue
      }
      var reader = ChunkListReader(content, size: size, in: store)
      var offset: UInt64 = 0
      var count = 0
      while let piece = try reader.next() {
        if let id = piece.id {
          jobs.append(try FileWriter.job(id, length: piece.length, order: number, offset: offset, in: store))
          count += 1
        }
        offset += piece.length
      }
      parts[number] = PartialFile(order, size: size, remaining: count, tally: tally)
    }
    jobs.sort { $0.place.sortKey < $1.place.sortKey }
    var blocks: [Int] = []
    for index in jobs.indices {
      if index > 0, jobs[index - 1].place.pack == jobs[index].place.pack,
        jobs[index - 1].place.block.offset == jobs[index].place.block.offset
      {
        continue
      }
      blocks.append(index)
    }
    self.jobs = jobs
    self.parts = parts
    self.blocks = blocks
  }

  private static func job(
    _ id: ObjectID, length: UInt64, order: Int32, offset: UInt64, in store: Store
  ) throws(StoreError) -> Job {
    guard let place = try store.index.place(of: id) else { throw .missing(id) }
    guard UInt64(place.length) == length else {
      throw .damaged(file: "blob \(id.short)", reason: "it has another length than the tree says")
    }
    return Job(place: place, id: id, order: order, offset: offset)
  }

  /// Runs of neighbouring blocks, each for one worker: files of one folder are made by one worker.
  var runs: [Range<Int>] {
    let step = max(1, min(16, blocks.count / (Host.processorCount() * 4)))
    return stride(from: 0, to: blocks.count, by: step).map { $0..<min($0 + step, blocks.count) }
  }

  /// Makes what needs no block: empty files, links, fifos, devices.
  func makeWithoutData() {
    for (index, order) in orders.enumerated() {
      if case .file(_, let content) = order.entry.content, content.level > 0,
        parts[Int32(index)]?.isWithoutData != true
      {
        continue
      }
      tally.perform { () throws(RepositoryError) in try makeWithoutData(index) }
    }
  }

  /// Writes what lies in a run of blocks.
  func write(_ run: Range<Int>, _ reader: inout BlobReader) throws(RepositoryError) {
    for block in run {
      try tally.check()
      try write(block: block, &reader)
    }
  }

  private func write(block: Int, _ reader: inout BlobReader) throws(RepositoryError) {
    let end = block + 1 < blocks.count ? blocks[block + 1] : jobs.count
    let needed = jobs[blocks[block]..<end].reduce(0) { max($0, Int($1.place.offset) + Int($1.place.length)) }
    for job in jobs[blocks[block]..<end] {
      let outcome: Result<Void, RepositoryError>
      do throws(StoreError) {
        outcome = try reader.withBlob(job.id, at: job.place, end: needed) { (bytes) throws(RepositoryError) in
          try self.write(job, bytes)
        }
      } catch {
        // Another pack may hold it undamaged.
        let bytes = try translating { () throws(StoreError) in try reader.read(job.id) }
        outcome = Result { () throws(RepositoryError) in
          try bytes.withUnsafeBufferPointer { (bytes) throws(RepositoryError) in
            try self.write(job, UnsafeRawBufferPointer(bytes))
          }
        }
      }
      try outcome.get()
    }
  }

  private func write(_ job: Job, _ bytes: UnsafeRawBufferPointer) throws(RepositoryError) {
    let order = orders[Int(job.order)]
    try onOrder(order) { () throws(Errno) in
      if let part = parts[job.order] {
        if let file = try part.write(bytes, at: job.offset) {
          try metadata.apply(order.entry.metadata, to: file.descriptor, path: { order.path })
          tally.monitor.advance(files: 1, bytes: 0)
        }
      } else {
        let file = try order.place.open().descriptor.open(
          order.name, .create, permissions: metadata.modeForMaking(order.entry.metadata))
        try file.write(bytes)
        try metadata.complete(order.entry.metadata, file, path: { order.path })
        try file.finish()
        tally.monitor.advance(files: 1, bytes: 0)
      }
    }
    tally.written.add(UInt64(bytes.count), ordering: .relaxed)
    tally.monitor.advance(files: 0, bytes: UInt64(bytes.count))
  }

  /// An empty file, one that is all hole, a link, a fifo, a device.
  private func makeWithoutData(_ index: Int) throws(RepositoryError) {
    let order = orders[index]
    let path = { order.path }
    var reason = "only root can make one"
    let isMade = try onOrder(order) { () throws(Errno) -> Bool in
      let directory = try order.place.open()
      let isDevice: Bool
      switch order.entry.content {
      case .file(let size, _):
        let file = try directory.descriptor.open(order.name, .create)
        if size > 0 { try file.truncate(to: size) }
        try metadata.apply(order.entry.metadata, to: file, path: path)
        try file.finish()
        return true
      case .symbolicLink(let target):
        try directory.descriptor.makeSymbolicLink(order.name, target: target)
        isDevice = false
      case .fifo:
        try directory.descriptor.makeNode(order.name, kind: .fifo, permissions: 0o600, major: 0, minor: 0)
        isDevice = false
      case .characterDevice(let major, let minor), .blockDevice(let major, let minor):
        guard Host.isSuperuser else { return false }
        reason = RestoreRights.refusal
        guard metadata.rights.allowsPrivileges else { return false }
        try directory.descriptor.makeNode(
          order.name, kind: order.entry.content.kind, permissions: 0o600, major: major, minor: minor)
        isDevice = true
      case .directory:
        throw .invalid
      }
      let isComplete = try metadata.complete(order.entry, order.name, in: directory.descriptor, path: path)
      if isComplete || !isDevice { return true }
      reason = "its owner cannot be set"
      try directory.descriptor.removeFile(order.name)
      return false
    }
    if !isMade {
      tally.problems.report(order.path, "device not restored: \(reason)")
      tally.unmade.withLock { _ = $0.insert(order.item) }
    }
    tally.monitor.advance(files: 1, bytes: 0)
  }

  private func onOrder<Result>(
    _ order: WriteOrder, _ body: () throws(Errno) -> Result
  ) throws(RepositoryError) -> Result {
    do throws(Errno) {
      return try body()
    } catch {
      throw RepositoryError(
        .system, "cannot write \(order.path): \(error)",
        path: order.path, systemError: error.code)
    }
  }
}

/// A file of several chunks that arrive in any order, from several workers.
private final class PartialFile: Sendable {
  private struct State: Sendable {
    var file: SharedDescriptor?
    var isMade = false
    var remaining: Int
  }

  /// How many of these are open at once, over all.
  private static let openLimit = 128

  private let tally: WriteTally
  private let order: WriteOrder
  private let size: UInt64
  private let state: Mutex<State>
  let isWithoutData: Bool

  init(_ order: WriteOrder, size: UInt64, remaining: Int, tally: WriteTally) {
    self.tally = tally
    self.order = order
    self.size = size
    isWithoutData = remaining == 0
    state = Mutex(State(remaining: remaining))
  }

  /// Writes one stretch; returns the file when it was the last.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Errno) -> SharedDescriptor? {
    let file = try state.withLock { (state) throws(Errno) in try open(&state) }
    try file.descriptor.write(bytes, at: offset)
    return state.withLock { state in
      state.remaining -= 1
      let isLast = state.remaining == 0
      if isLast || tally.openParts.load(ordering: .relaxed) > PartialFile.openLimit {
        if state.file != nil { tally.openParts.subtract(1, ordering: .relaxed) }
        state.file = nil
      }
      return isLast ? file : nil
    }
  }

  private func open(_ state: inout State) throws(Errno) -> SharedDescriptor {
    if let file = state.file { return file }
    let directory = try order.place.open()
    let file = SharedDescriptor(
      try directory.descriptor.open(order.name, state.isMade ? .readWrite : .create))
    if !state.isMade {
      try file.descriptor.truncate(to: size)
      state.isMade = true
    }
    state.file = file
    tally.openParts.add(1, ordering: .relaxed)
    return file
  }
}
