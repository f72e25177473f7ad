// What a restore will do: a plain value, made before anything is touched.

internal import MementoStore
internal import MementoSystem

/// A directory that the plan goes through.
struct PlanDirectory: Sendable {
  enum Fate: Sendable {
    case keep
    case create
    case remove
  }

  /// Index in the plan; -1 for the root.
  var parent: Int
  var name: [UInt8]
  var fate: Fate
  var old: FileMetadata?
  var new: FileMetadata?
  /// Which directory it is, once it was looked at: nothing is done to another that takes its place.
  var identity: FileIdentity?
  /// Something in it is created, replaced or removed, so that its time must be set again.
  var isTouched = false
}

/// Something to do with one name that is no directory in the target.
struct PlanItem: Sendable {
  var directory: Int
  var action: RestoreAction.Kind
  var old: TreeEntry?
  var new: TreeEntry?
  /// Another item whose file this becomes, or remains, a second name of.
  var linkOf: Int?

  var name: [UInt8] { new?.name ?? old?.name ?? [] }

  /// Something new is made for it: a file, a link, a fifo or a device.
  var isMade: Bool { linkOf == nil && (action == .create || action == .replace) }

  /// Bytes to write.
  var bytes: UInt64 {
    guard isMade, case .file(let size, _)? = new?.content else { return 0 }
    return size
  }
}

struct RestorePlan: Sendable {
  var directories: [PlanDirectory]
  var items: [PlanItem] = []
  /// What it leaves as it is, against the target, and why.
  var notes: [Problem] = []

  init(oldRoot: FileMetadata?, newRoot: FileMetadata?) {
    directories = [PlanDirectory(parent: -1, name: [], fate: .keep, old: oldRoot, new: newRoot)]
  }

  /// Nothing differs.
  var isEmpty: Bool {
    items.isEmpty && directories.allSatisfy { $0.fate == .keep && ($0.new == nil || $0.new == $0.old) }
  }

  /// It touches files that say what is ignored.
  var changesRules: Bool {
    items.contains {
      $0.action != .metadata && ($0.name == FolderRuleFiles.name || $0.name == FolderRuleFiles.gitName)
    }
  }

  /// A folder that was to be removed stays, and so do those that hold it.
  mutating func keep(directory: Int) {
    var index = directory
    while index > 0, directories[index].fate == .remove {
      directories[index].fate = .keep
      directories[index].new = directories[index].old
      index = directories[index].parent
    }
  }

  /// Keeps folders that were to be removed although something stays in them: what is ignored, or could not be recorded. Looks
  /// into every folder that is to be removed. A dry run says so, too.
  mutating func keepNonEmptyFolders(_ root: SharedDescriptor) {
    var leaving: [Int: Set<[UInt8]>] = [:]
    for item in items where item.action == .remove { leaving[item.directory, default: []].insert(item.name) }
    for directory in directories where directory.fate == .remove {
      leaving[directory.parent, default: []].insert(directory.name)
    }
    let handles = directoryHandles(root)
    for index in directories.indices.reversed() where directories[index].fate == .remove {
      let removed = leaving[index] ?? []
      // A folder that cannot be looked at stays in the plan: the system removes no folder that is not empty.
      guard let open = try? handles[index].open(), let listing = try? DirectoryListing(reading: open.descriptor) else {
        continue
      }
      let stays = (0..<listing.count).contains { !removed.contains(listing.name(at: $0)) }
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

  /// For people: what happens to which path.
  var changes: [PlannedChange] {
    var result = items.map { PlannedChange(action: RestoreAction($0.action), path: path(of: $0), bytes: $0.bytes) }
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
    return result.sorted { $0.path < $1.path }
  }

  /// How many entries that are no folders are created, replaced, removed, or only changed in their metadata. As `TreeDiff`
  /// counts: a file that only becomes one of several names, or none any more, has no other content.
  func count(_ action: RestoreAction.Kind) -> Int {
    items.count { item in
      let isSame = item.action == .replace && item.old?.content == item.new?.content
      return (isSame ? .metadata : item.action) == action
    }
  }

  /// The same of folders.
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

  /// Files may say that they have 2^63 bytes each: the sum stops at the largest number.
  var bytesToWrite: UInt64 {
    items.reduce(0) { sum, item in
      let (total, overflow) = sum.addingReportingOverflow(item.bytes)
      return overflow ? .max : total
    }
  }
}
