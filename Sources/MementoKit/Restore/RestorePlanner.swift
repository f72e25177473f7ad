// Compares the folder as it is with the target, tree by tree, and makes the plan. Reads no file: the walk before has said
// what every file holds.

internal import MementoStore
internal import MementoSystem

/// One side of a restore: a tree, and which names in it are one file.
struct FolderState: Sendable {
  var tree: ObjectID?
  var root: FileMetadata?
  var links: [[[UInt8]]]
  /// Paths of files that have names elsewhere, too.
  var linkedOutside: Set<[UInt8]> = []
  var source: any MetaSource
}

struct RestorePlanner {
  private let current: FolderState
  private let target: FolderState
  /// Paths that the target could not record: never removed, never overwritten.
  private let untouchable: Set<[UInt8]>
  private let protected: ProtectedPaths?
  private let monitor: any Monitor
  /// Labels of folders that are protected with all that is in them.
  private var protectedFolders: Set<Int> = []
  /// Labels of folders in which something protected stays.
  private var kept: [Int] = []
  private var plan: RestorePlan
  private var labels: [Place: Int] = [:]

  private struct Place: Hashable {
    let parent: Int
    let name: [UInt8]
  }

  init(
    current: FolderState, target: FolderState, untouchable: Set<[UInt8]>, protected: ProtectedPaths? = nil,
    monitor: any Monitor = SilentMonitor()
  ) {
    self.monitor = monitor
    self.protected = protected
    self.current = current
    self.target = target
    self.untouchable = untouchable
    plan = RestorePlan(oldRoot: current.root, newRoot: target.root)
  }

  consuming func run() throws(StoreError) -> RestorePlan {
    let diff = TreeDiff(old: current.source, new: target.source, monitor: monitor, limit: TreeDiff.held)
    try diff.walk(from: current.tree, to: target.tree, label: 0) { (directory, old, new) throws(StoreError) in
      TreeStep(inside: add(directory, old, new))
    }
    for label in kept { keepFolder(label) }
    if current.links != target.links || !plan.items.isEmpty { try addLinks() }
    for item in plan.items where item.action != .metadata { plan.directories[item.directory].isTouched = true }
    for index in plan.directories.indices.dropFirst() where plan.directories[index].fate != .keep {
      plan.directories[plan.directories[index].parent].isTouched = true
    }
    return plan
  }

  /// Enters one difference; returns the label of the directory to go into.
  private mutating func add(_ directory: Int, _ old: TreeEntry?, _ new: TreeEntry?) -> Int? {
    // A file that changed while it was read is listed, and recorded all the same.
    if !untouchable.isEmpty, new == nil || new?.isDirectory == true {
      let path = BytePath(plan.path(of: directory)).appending(old?.name ?? new?.name ?? [])
      if untouchable.contains(path.bytes) { return nil }
    }
    if let protected, let old, isProtected(directory, old, protected) { return leave(directory, old, new) }
    switch (old?.isDirectory, new?.isDirectory) {
    case (true?, true?):
      return addDirectory(directory, .keep, old, new)
    case (nil, true?):
      return addDirectory(directory, .create, nil, new)
    case (false?, true?):
      plan.items.append(PlanItem(directory: directory, action: .remove, old: old))
      return addDirectory(directory, .create, nil, new)
    case (true?, nil):
      return addDirectory(directory, .remove, old, nil)
    case (true?, false?):
      plan.items.append(PlanItem(directory: directory, action: .create, new: new))
      return addDirectory(directory, .remove, old, nil)
    case (nil, false?):
      plan.items.append(PlanItem(directory: directory, action: .create, new: new))
    case (false?, nil):
      plan.items.append(PlanItem(directory: directory, action: .remove, old: old))
    case (false?, false?):
      // A link, fifo or device cannot be opened, and what has its name when its metadata are set may be something else: it
      // is made anew.
      let isChangedInPlace = old?.content == new?.content && new?.content.kind == .regular
      let action: RestoreAction.Kind = isChangedInPlace ? .metadata : .replace
      plan.items.append(PlanItem(directory: directory, action: action, old: old, new: new))
    case (nil, nil):
      break
    }
    return nil
  }

  // MARK: What stays

  private func isProtected(_ directory: Int, _ old: TreeEntry, _ protected: ProtectedPaths) -> Bool {
    if protectedFolders.contains(directory) { return true }
    return protected.contains(
      BytePath(plan.path(of: directory)).appending(old.name).bytes, isFolder: old.isDirectory)
  }

  /// Something protected: what is missing in a folder is made, and nothing else done.
  private mutating func leave(_ directory: Int, _ old: TreeEntry, _ new: TreeEntry?) -> Int? {
    if old.isDirectory, new?.isDirectory == true {
      let label = addDirectory(directory, .keep, old, old)
      protectedFolders.insert(label)
      return label
    }
    kept.append(directory)
    plan.notes.append(
      Problem(
        path: BytePath(plan.path(of: directory)).appending(old.name),
        message: "not \(new == nil ? "removed" : "overwritten"): it is protected", isNote: true))
    return nil
  }

  /// A folder that was to go stays; what was to be in its place is not made.
  private mutating func keepFolder(_ label: Int) {
    var index = label
    while index > 0, plan.directories[index].fate == .remove {
      let (parent, name) = (plan.directories[index].parent, plan.directories[index].name)
      plan.items.removeAll { $0.directory == parent && $0.action == .create && $0.name == name }
      index = parent
    }
    plan.keep(directory: label)
  }

  private mutating func addDirectory(
    _ parent: Int, _ fate: PlanDirectory.Fate, _ old: TreeEntry?, _ new: TreeEntry?
  ) -> Int {
    let name = new?.name ?? old?.name ?? []
    plan.directories.append(
      PlanDirectory(parent: parent, name: name, fate: fate, old: old?.metadata, new: new?.metadata))
    let label = plan.directories.count - 1
    if fate != .remove { labels[Place(parent: parent, name: name)] = label }
    return label
  }

  // MARK: Hard links

  /// Where the groups of names or their content differ, every name concerned gets a new file, shared by its group: an
  /// inode that has other names, here or outside, is never changed through one of them.
  private mutating func addLinks() throws(StoreError) {
    if current.links.isEmpty, target.links.isEmpty, current.linkedOutside.isEmpty { return }
    var items: [[UInt8]: Int] = [:]
    for (index, item) in plan.items.enumerated() where item.new != nil {
      let path = plan.path(of: item).bytes
      items[path] = index
      if item.action == .metadata, current.linkedOutside.contains(path) { plan.items[index].action = .replace }
    }
    // A group of which nothing but metadata changes keeps its file.
    let same = Set(current.links).intersection(target.links).filter { group in
      group.allSatisfy { items[$0].map { plan.items[$0].action == .metadata } ?? true }
    }
    var concerned: Set<[UInt8]> = []
    for group in current.links + target.links where !same.contains(group) { concerned.formUnion(group) }
    for path in concerned.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      if protected?.covers(path) == true { continue }
      guard let (directory, entry) = try locate(path) else { continue }
      if let index = items[path] {
        if plan.items[index].action == .metadata { plan.items[index].action = .replace }
      } else {
        plan.items.append(PlanItem(directory: directory, action: .replace, old: entry, new: entry))
        items[path] = plan.items.count - 1
      }
    }
    for group in target.links {
      guard let first = items[group[0]] else { continue }
      for path in group.dropFirst() {
        guard let index = items[path] else { continue }
        plan.items[index].linkOf = first
      }
    }
  }

  /// The directory in the plan and the entry of a path in the target; nil when there is no such file.
  private mutating func locate(_ path: [UInt8]) throws(StoreError) -> (Int, TreeEntry)? {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard var tree = target.tree, let last = names.last else { return nil }
    var label = 0
    for name in names.dropLast() {
      guard let entry = try TreeReader.entry(named: name, of: tree, in: target.source), let below = entry.tree else {
        return nil
      }
      label = labels[Place(parent: label, name: name)] ?? addDirectory(label, .keep, entry, entry)
      tree = below
    }
    guard let entry = try TreeReader.entry(named: last, of: tree, in: target.source), !entry.isDirectory else {
      return nil
    }
    return (label, entry)
  }
}
