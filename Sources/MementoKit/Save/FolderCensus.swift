// Counts by how much a save would grow, by folder. It lists folders and reads no file.

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
    var sum = FileSum()
    /// Of this sum, what lies right in the folder.
    var own = FileSum()
  }

  /// Files and their bytes; less than none where the snapshot before has more.
  private struct FileSum {
    var files = 0
    var bytes: Int64 = 0

    static func += (sum: inout FileSum, more: FileSum) {
      sum.files += more.files
      sum.bytes &+= more.bytes
    }
  }

  private let repository: Repository
  private let context: SaveContext
  private let root: SharedDescriptor
  private let monitor: any Monitor
  private var parts: [Part] = [Part(path: [], parent: nil, depth: 0)]

  init(_ repository: Repository, _ rules: WalkRules, monitor: any Monitor) throws(RepositoryError) {
    self.repository = repository
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

  /// `before`: the snapshot at the position.
  consuming func run(since before: SnapshotRecord?) throws(RepositoryError) -> FolderGrowth {
    try count()
    let all = parts.reduce(into: FileSum()) { $0 += $1.own }
    let (files, bytes) = (all.files, UInt64(max(0, all.bytes)))
    let (knownFiles, knownBytes) = (before?.files ?? 0, before?.bytes ?? 0)
    let counted = parts
    do throws(RepositoryError) {
      try subtract(before)
    } catch {
      // The folder can still be saved. Without what was there before, the folders count as a whole.
      guard error.isDamage else { throw error }
      parts = counted
    }
    // A folder comes before those in it.
    for number in parts.indices.reversed() {
      let own = parts[number].own
      parts[number].sum += own
      if let parent = parts[number].parent { parts[parent].sum += parts[number].sum }
    }
    return FolderGrowth(
      files: files, bytes: bytes, newFiles: max(0, files - knownFiles),
      newBytes: bytes > knownBytes ? bytes - knownBytes : 0, largest: largest())
  }

  /// Takes away what the snapshot before has.
  private mutating func subtract(_ before: SnapshotRecord?) throws(RepositoryError) {
    guard case .tree(let tree, _)? = before?.body else { return }
    var places = Dictionary(uniqueKeysWithValues: parts.enumerated().map { ($1.path, $0) })
    let source = ScratchObjects(over: repository.store)
    try translating { () throws(StoreError) in
      try TreeDiff(old: source, new: source, monitor: monitor).walk(from: nil, to: tree, label: 0) { (part, _, entry) in
        switch entry?.content {
        case .directory?:
          guard let entry, parts[part].depth < FolderCensus.depth else { return .enter(part) }
          let path = parts[part].path.isEmpty ? entry.name : parts[part].path + [UInt8(ascii: "/")] + entry.name
          if let known = places[path] { return .enter(known) }
          parts.append(Part(path: path, parent: part, depth: parts[part].depth + 1))
          places[path] = parts.count - 1
          return .enter(parts.count - 1)
        case .file(let size, _)?:
          parts[part].own += FileSum(files: -1, bytes: -Int64(clamping: size))
          return .pass
        default: return .pass
        }
      }
    }
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
      parts[part].own += FileSum(
        files: files.count, bytes: files.reduce(0) { $0 &+ Int64(clamping: $1.size) })
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

  /// The folders that have grown the most. Where one of them has grown by nearly all, those in it say more.
  private func largest() -> [FolderGrowth.Part] {
    var inside: [[Int]] = Array(repeating: [], count: parts.count)
    for (number, part) in parts.enumerated() {
      if let parent = part.parent { inside[parent].append(number) }
    }
    var place = 0
    func isMost(_ number: Int) -> Bool {
      parts[number].sum.files * 10 >= parts[place].sum.files * 9
        && parts[number].sum.bytes / 9 >= parts[place].sum.bytes / 10
    }
    while let only = inside[place].first(where: isMost), !inside[only].isEmpty { place = only }
    let top = parts[0].sum
    // By its share of files or of bytes, whichever is larger.
    func share(_ part: FolderGrowth.Part) -> Double {
      max(Double(part.files) / Double(max(top.files, 1)), Double(part.bytes) / Double(max(top.bytes, 1)))
    }
    if inside[place].isEmpty { return [] }
    var largest = inside[place].compactMap { number in part(number, parts[number].sum, isAlone: false) }
    if let alone = part(place, parts[place].own, isAlone: true) { largest.append(alone) }
    return Array(largest.sorted { share($0) > share($1) }.prefix(FolderCensus.most))
  }

  /// Nil for a folder that has not grown.
  private func part(_ number: Int, _ sum: FileSum, isAlone: Bool) -> FolderGrowth.Part? {
    if sum.files <= 0 && sum.bytes <= 0 { return nil }
    return FolderGrowth.Part(
      path: BytePath(parts[number].path), isAlone: isAlone, files: max(0, sum.files), bytes: UInt64(max(0, sum.bytes)))
  }
}
