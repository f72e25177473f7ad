// Walks the working tree and stores it: takes a folder and returns the id of its tree. It uses all cores and reads each
// file once, or not at all when the stat cache knows it as unchanged. In a dry run the same walk stores nothing.
//
// The work is a stack of tasks. A directory lists itself and pushes its files, in small batches, and its folders. The
// worker that fills the last slot of a directory finishes it and goes on with its parent. A large file is one task for
// each worker; they take its windows in turn.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// The result of a walk.
struct ArchivedTree: Sendable {
  var tree: ObjectID
  var root: FileMetadata
  /// The number of regular files.
  var files: Int
  /// The number of entries that are not folders.
  var entries: Int
  var bytes: UInt64
  var bytesRead: UInt64
  var links: [[[UInt8]]]
  /// Paths of files that also have names outside of the folder.
  var linkedOutside: Set<[UInt8]>
  var problems: [Problem]
  /// The number of names that were ignored.
  var ignored: Int
  /// The rule files in force, by the path of their folder.
  var ruleFiles: [[UInt8]: FolderRuleFiles]
  /// When the walk began, by the clock of the file system. A file that changed at this moment or later may have changed
  /// again after it was read.
  var begun: Timestamp

  var isComplete: Bool { problems.allSatisfy(\.isNote) }

  mutating func addProblems(_ paths: [BytePath], _ message: String) {
    problems += paths.map { Problem(path: $0, message: message, isNote: false) }
    problems.sort { $0.path < $1.path }
  }
}

final class Archiver: Sendable {
  enum Task: Sendable {
    case directory(DirectoryNode)
    case files(DirectoryNode, [Int32])
    case window(LargeFile)
  }

  /// All workers together read a file of at least this size, in bytes.
  static let largeFile: UInt64 = 4 << 20
  /// The greatest number of files in a batch, and of bytes.
  static let batchFiles = 48
  static let batchBytes: UInt64 = 1 << 20

  let context: SaveContext
  private let workers: [FileSaver]
  private let stack = WorkStack<Task>()
  private let root: SharedDescriptor

  init(root: SharedDescriptor, context: SaveContext, writers: [ObjectWriter]) {
    self.root = root
    self.context = context
    workers = writers.map { FileSaver(context: context, writer: $0) }
  }

  /// Walks everything below the root.
  func run() throws(RepositoryError) -> ArchivedTree {
    // Without a cache file, the clock of the file system is not known. Two seconds are the coarsest granularity known
    // (FAT).
    let begun = context.cacheWriter?.begun ?? Clock.now().adding(seconds: -2)
    let status: FileStatus
    let attributes: [ExtendedAttribute]
    do throws(Errno) {
      status = try root.descriptor.status()
      attributes = try root.descriptor.extendedAttributes()
    } catch {
      throw RepositoryError(.system, "cannot read the folder: \(error)", systemError: error.code)
    }
    let node = DirectoryNode(
      parent: nil, slot: 0, handle: DirectoryHandle(root: root, pool: HandlePool()), status: status,
      record: context.cache?.root, known: nil, filter: context.filter, wanted: context.wanted?.top)
    node.attributes = attributes
    stack.push(CollectionOfOne(.directory(node)))
    stack.run(workers: workers.count) { worker, task in
      self.perform(task, self.workers[worker])
    }
    if let failure = context.failure { throw failure }
    guard let (tree, record) = context.result.withLock({ $0 }) else { throw .cancelled }
    for worker in workers {
      try translating { () throws(StoreError) in try worker.writer.flush() }
    }
    context.rootRecord = record
    let files = context.files.load(ordering: .relaxed)
    return ArchivedTree(
      tree: tree, root: FileMetadata(status, attributes: attributes), files: files,
      entries: files + context.others.load(ordering: .relaxed), bytes: context.bytes.load(ordering: .relaxed),
      bytesRead: context.bytesRead.load(ordering: .relaxed), links: context.links.groups(),
      linkedOutside: context.links.linkedOutside(),
      problems: context.problems.withLock { $0.sorted { $0.path < $1.path } },
      ignored: context.ignored.load(ordering: .relaxed), ruleFiles: context.ruleFiles.withLock { $0 }, begun: begun)
  }

  private func perform(_ task: Task, _ saver: FileSaver) {
    if context.isStopped { return }
    do throws(StoreError) {
      switch task {
      case .directory(let node):
        let (files, folders) = try DirectoryWalk(node, context: context).run()
        try schedule(node, files: files, folders: folders, saver)
      case .files(let node, let indices):
        try saver.save(indices, of: node) { large in
          self.stack.push((0..<self.workers.count).map { _ in .window(large) })
        }
        node.userEnded()
        if node.partEnded() { try finish(node, saver) }
      case .window(let file):
        if try file.work(saver.writer) {
          if file.node.partEnded() { try finish(file.node, saver) }
        }
      }
    } catch {
      context.fail(error)
    }
  }

  /// Pushes the tasks of a directory. Its first files come off the stack first, so blocks are filled in the order of
  /// the walk.
  private func schedule(
    _ node: DirectoryNode, files: [(index: Int32, size: UInt64)], folders: [DirectoryNode], _ saver: FileSaver
  ) throws(StoreError) {
    var tasks: [Task] = folders.reversed().map { .directory($0) }
    var batches: [[Int32]] = []
    var batch: [Int32] = []
    var bytes: UInt64 = 0
    var large = 0
    for file in files {
      if file.size >= Archiver.largeFile {
        batches.append([file.index])
        large += 1
        continue
      }
      batch.append(file.index)
      bytes += file.size
      if batch.count >= Archiver.batchFiles || bytes >= Archiver.batchBytes {
        batches.append(batch)
        batch = []
        bytes = 0
      }
    }
    if !batch.isEmpty { batches.append(batch) }
    if folders.isEmpty, batches.isEmpty {
      node.handle.finish()
      return try finish(node, saver)
    }
    node.expect(parts: folders.count + batches.count, users: folders.count + batches.count)
    tasks.append(contentsOf: batches.reversed().map { .files(node, $0) })
    stack.push(tasks)
  }

  /// Finishes a complete directory: builds its tree and fills its slot in the parent. If that completes the parent, it
  /// goes on with the parent.
  private func finish(_ complete: DirectoryNode, _ saver: FileSaver) throws(StoreError) {
    var node = complete
    while true {
      if let parent = node.parent, node.isGone {
        if !parent.partEnded() { return }
        node = parent
        continue
      }
      let (tree, record) = try DirectoryFinish(node, context: context).run(saver.writer)
      guard let parent = node.parent else {
        context.rootListed = node.listedAt
        context.result.withLock { $0 = (tree, record) }
        return
      }
      let entry = TreeEntry(
        name: node.handle.name, metadata: FileMetadata(node.status, attributes: node.attributes),
        content: .directory(tree))
      var out = ByteWriter()
      TreeEntryCodec.encode(entry, into: &out)
      if let known = node.known, let cached = parent.cached, cached.bytes[known.encoded].elementsEqual(out.bytes) {
        parent.record(EntrySlot(known, node.status, changed: node.listedAt, record: record), at: node.slot)
      } else {
        parent.record(
          encoded: out.bytes, at: node.slot, inode: node.status.inode, changed: node.listedAt, record: record)
      }
      if !parent.partEnded() { return }
      node = parent
    }
  }
}
