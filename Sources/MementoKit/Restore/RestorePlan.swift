// What a restore will do, as a plain value that is made before anything changes.

internal import MementoStore
internal import MementoSystem

/// A directory that the plan goes through.
struct PlanDirectory: Sendable {
  enum Fate: Sendable {
    case keep
    case create
    case remove
  }

  /// The index of the parent in the plan; -1 for the root.
  var parent: Int
  var name: [UInt8]
  var fate: Fate
  var old: FileMetadata?
  var new: FileMetadata?
  /// The directory that the check has seen. Another directory that takes its place is left alone.
  var identity: FileIdentity?
  /// Whether something in it is created, replaced or removed, so that its time must be set again.
  var isTouched = false
  /// Whether the plan has items or directories in it.
  var isUsed = false
}

/// The sums over all items of a plan.
struct PlanTotals: Sendable {
  /// How many entries are created, replaced, removed, or only changed in their metadata. Folders do not count.
  private(set) var created = 0
  private(set) var replaced = 0
  private(set) var removed = 0
  private(set) var metadata = 0
  /// Bytes to write. Forged files may have 2^63 bytes each, so the sum stops at the largest number.
  private(set) var bytes: UInt64 = 0
  /// Whether the plan creates, replaces or removes files of ignore rules.
  private(set) var changesRules = false

  fileprivate mutating func add(_ item: PlanItem) {
    switch item.counted {
    case .create: created += 1
    case .replace: replaced += 1
    case .remove: removed += 1
    case .metadata: metadata += 1
    }
    let (sum, overflow) = bytes.addingReportingOverflow(item.bytes)
    bytes = overflow ? .max : sum
    if item.action != .metadata, item.name == FolderRuleFiles.name || item.name == FolderRuleFiles.gitName {
      changesRules = true
    }
  }
}

struct RestorePlan: Sendable {
  var directories: [PlanDirectory]
  var items: PlanItems
  /// Notes on paths that stay although the target differs there.
  var notes: [Problem] = []
  /// The sums; empty until `total` is called.
  private(set) var totals = PlanTotals()

  init(oldRoot: FileMetadata?, newRoot: FileMetadata?, items: PlanItems = PlanItems()) {
    directories = [PlanDirectory(parent: -1, name: [], fate: .keep, old: oldRoot, new: newRoot)]
    self.items = items
  }

  /// Counts the items, and marks the directories that they touch. Call it after all items were added.
  mutating func total() throws(RepositoryError) {
    let items = items
    totals = PlanTotals()
    try items.forEach { (item) throws(RepositoryError) in
      totals.add(item)
      directories[item.directory].isUsed = true
      if item.action != .metadata { directories[item.directory].isTouched = true }
    }
    for index in directories.indices.dropFirst() {
      directories[directories[index].parent].isUsed = true
      if directories[index].fate != .keep { directories[directories[index].parent].isTouched = true }
    }
  }

  /// Whether the restore has nothing to do.
  var isEmpty: Bool {
    items.isEmpty && directories.allSatisfy { $0.fate == .keep && ($0.new == nil || $0.new == $0.old) }
  }

  /// Keeps a folder that was to be removed, and all folders around it.
  mutating func keep(directory: Int) {
    var index = directory
    while index > 0, directories[index].fate == .remove {
      directories[index].fate = .keep
      directories[index].new = directories[index].old
      index = directories[index].parent
    }
  }

  /// Keeps folders that were to be removed but hold files that stay: ignored ones, and ones that no snapshot could
  /// record. Reads each folder that is to be removed, so that a dry run reports this, too.
  mutating func keepNonEmptyFolders(_ root: SharedDescriptor) throws(RepositoryError) {
    if !directories.contains(where: { $0.fate == .remove }) { return }
    // The hashes of the names that are removed, by folder; there may be millions. When two names have the same hash, a
    // folder may stay in the plan. That does no harm: the system removes no folder that is not empty.
    var leaving: [Int: Set<Int>] = [:]
    try items.forEach(.remove) { (item) throws(RepositoryError) in
      if directories[item.directory].fate == .remove {
        leaving[item.directory, default: []].insert(item.name.hashValue)
      }
    }
    for directory in directories where directory.fate == .remove {
      leaving[directory.parent, default: []].insert(directory.name.hashValue)
    }
    let handles = directoryHandles(root)
    for index in directories.indices.reversed() where directories[index].fate == .remove {
      let removed = leaving[index] ?? []
      // A folder that cannot be read stays in the plan. The system removes no folder that is not empty.
      guard let open = try? handles[index].open(), let listing = try? DirectoryListing(reading: open.descriptor) else {
        continue
      }
      let stays = (0..<listing.count).contains { !removed.contains(listing.name(at: $0).hashValue) }
      handles[index].finish()
      if stays {
        notes.append(
          Problem(path: BytePath(path(of: index)), message: "kept: it holds what is ignored or not saved", isNote: true)
        )
        keep(directory: index)
      }
    }
  }

  func path(of directory: Int) -> [UInt8] {
    var names: [[UInt8]] = []
    var index = directory
    while index > 0 {
      names.append(directories[index].name)
      index = directories[index].parent
    }
    return Array(names.reversed().joined(separator: [UInt8(ascii: "/")]))
  }

  /// A handle for each directory, by its index.
  func directoryHandles(_ root: SharedDescriptor) -> [DirectoryHandle] {
    let pool = HandlePool()
    var handles: [DirectoryHandle] = []
    handles.reserveCapacity(directories.count)
    for directory in directories {
      handles.append(
        directory.parent < 0
          ? DirectoryHandle(root: root, pool: pool)
          : DirectoryHandle(parent: handles[directory.parent], name: directory.name))
      if directory.parent >= 0, let identity = directory.identity { handles[handles.count - 1].expect(identity) }
    }
    return handles
  }

  func path(of item: PlanItem) -> BytePath {
    BytePath(path(of: item.directory)).appending(item.name)
  }

  /// What happens to each path, for a dry run.
  func changes() throws(RepositoryError) -> [PlannedChange] {
    var result: [PlannedChange] = []
    result.reserveCapacity(items.count)
    try items.forEach { (item) throws(RepositoryError) in
      result.append(PlannedChange(action: RestoreAction(item.action), path: path(of: item), bytes: item.bytes))
    }
    for (index, directory) in directories.enumerated() where index > 0 {
      let action: RestoreAction? =
        switch directory.fate {
        case .create: .create
        case .remove: .remove
        case .keep: directory.old == directory.new ? nil : .metadata
        }
      if let action {
        result.append(PlannedChange(action: action, path: BytePath(path(of: index) + [UInt8(ascii: "/")]), bytes: 0))
      }
    }
    result.sort { $0.path < $1.path }
    return result
  }

  /// How many folders are created, removed, or changed in their metadata.
  var folders: FolderCounts {
    var counts = FolderCounts()
    for directory in directories.dropFirst() {
      switch directory.fate {
      case .create: counts.created += 1
      case .remove: counts.removed += 1
      case .keep:
        guard let old = directory.old, let new = directory.new, old != new else { continue }
        if old.isSame(butForTimeAs: new) { counts.times += 1 } else { counts.metadata += 1 }
      }
    }
    return counts
  }
}
