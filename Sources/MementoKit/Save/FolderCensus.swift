// Counts what a save would record, by folder. It lists folders and reads no file.

internal import MementoStore
internal import MementoSystem

struct FolderCensus {
  /// Folders further down count with the one above them.
  private static let depth = 4
  /// So many folders are named at most.
  private static let most = 5

  private struct Part {
    var path: [UInt8]
    /// The number of the folder above; nil for the top.
    var parent: Int?
    var depth: Int
    var files = 0
    var bytes: UInt64 = 0
  }

  private let context: SaveContext
  private let root: SharedDescriptor
  private let monitor: any Monitor
  private var parts: [Part] = [Part(path: [], parent: nil, depth: 0)]

  init(_ repository: Repository, _ rules: WalkRules, monitor: any Monitor) throws(RepositoryError) {
    self.monitor = monitor
    root = try repository.root
    let status: FileStatus
    do throws(Errno) {
      status = try root.descriptor.status()
    } catch {
      throw RepositoryError(.system, "cannot read the folder: \(error)", systemError: error.code)
    }
    // What it cannot read, the save reports.
    context = SaveContext(
      store: repository.store, monitor: SilentMonitor(), cache: nil, cacheWriter: nil, root: status,
      storeIdentity: repository.storeIdentity, rules: rules, wanted: nil, begun: Clock.now())
  }

  /// `known`: what the snapshot at the position has.
  consuming func run(since known: (files: Int, bytes: UInt64)) throws(RepositoryError) -> FolderGrowth {
    try count()
    // A folder comes before those in it.
    for number in parts.indices.reversed() {
      guard let parent = parts[number].parent else { continue }
      parts[parent].files += parts[number].files
      parts[parent].bytes += parts[number].bytes
    }
    let (files, bytes) = (parts[0].files, parts[0].bytes)
    return FolderGrowth(
      files: files, bytes: bytes, newFiles: max(0, files - known.files),
      newBytes: bytes > known.bytes ? bytes - known.bytes : 0, largest: largest())
  }

  private mutating func count() throws(RepositoryError) {
    let status: FileStatus
    do throws(Errno) {
      status = try root.descriptor.status()
    } catch {
      throw RepositoryError(.system, "cannot read the folder: \(error)", systemError: error.code)
    }
    let top = DirectoryNode(
      parent: nil, slot: 0, handle: DirectoryHandle(root: root, pool: HandlePool()), status: status, record: nil,
      known: nil, filter: context.filter, wanted: nil)
    var waiting = [(node: top, part: 0)]
    while let (node, part) = waiting.popLast() {
      if monitor.isCancelled { throw .cancelled }
      let (files, folders) = try translating { () throws(StoreError) in
        try DirectoryWalk(node, context: context).run()
      }
      if let failure = context.failure { throw failure }
      parts[part].files += files.count
      parts[part].bytes += files.reduce(0) { $0 + $1.size }
      if folders.isEmpty { node.handle.finish() } else { node.expect(parts: folders.count, users: folders.count) }
      for folder in folders { waiting.append((folder, self.part(of: folder, in: part))) }
    }
  }

  /// The part that a folder counts with.
  private mutating func part(of folder: DirectoryNode, in parent: Int) -> Int {
    if parts[parent].depth >= FolderCensus.depth { return parent }
    parts.append(Part(path: folder.handle.path, parent: parent, depth: parts[parent].depth + 1))
    return parts.count - 1
  }

  /// The folders that hold the most. Where one holds nearly all, those in it say more.
  private func largest() -> [FolderGrowth.Part] {
    var inside: [[Int]] = Array(repeating: [], count: parts.count)
    for (number, part) in parts.enumerated() {
      if let parent = part.parent { inside[parent].append(number) }
    }
    var place = 0
    func holdsMost(_ number: Int) -> Bool {
      parts[number].files * 10 >= parts[place].files * 9 && parts[number].bytes / 9 >= parts[place].bytes / 10
    }
    while let only = inside[place].first(where: holdsMost), !inside[only].isEmpty { place = only }
    // By its share of files or of bytes, whichever is larger.
    func share(_ number: Int) -> Double {
      max(
        Double(parts[number].files) / Double(max(parts[0].files, 1)),
        Double(parts[number].bytes) / Double(max(parts[0].bytes, 1)))
    }
    return inside[place].sorted { share($0) > share($1) }.prefix(FolderCensus.most).map { number in
      FolderGrowth.Part(path: BytePath(parts[number].path), files: parts[number].files, bytes: parts[number].bytes)
    }
  }
}
