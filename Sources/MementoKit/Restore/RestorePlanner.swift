// Compares the folder with the target, tree by tree, and makes the plan. It reads no file: the walk before it has
// recorded what each file holds.

internal import MementoStore
internal import MementoSystem

/// One side of a restore: a tree, and the groups of names that are hard links of one file.
struct FolderState: Sendable {
  var tree: ObjectID?
  var root: FileMetadata?
  var links: [[[UInt8]]]
  /// Paths of files that also have names outside of the folder.
  var linkedOutside: Set<[UInt8]> = []
  var source: any MetaSource
}

struct RestorePlanner {
  private let current: FolderState
  private let target: FolderState
  /// Paths that the target could not record. They are never removed and never overwritten.
  private let untouchable: Set<[UInt8]>
  private let protected: ProtectedPaths?
  private let monitor: any Monitor
  /// Labels of folders that are protected with all that is in them.
  private var protectedFolders: Set<Int> = []
  /// Labels of folders in which a protected file stays.
  private var kept: [Int] = []
  private var plan: RestorePlan
  /// The folders that are not removed, by their places. Made at the first use.
  private var labels: [Place: Int]?

  private struct Place: Hashable {
    let parent: Int
    let name: [UInt8]
  }

  /// `items`: an empty list, which decides where the items are kept.
  init(
    current: FolderState, target: FolderState, untouchable: Set<[UInt8]>, protected: ProtectedPaths? = nil,
    items: PlanItems = PlanItems(), monitor: any Monitor = SilentMonitor()
  ) {
    self.monitor = monitor
    self.protected = protected
    self.current = current
    self.target = target
    self.untouchable = untouchable
    plan = RestorePlan(oldRoot: current.root, newRoot: target.root, items: items)
  }

  consuming func run() throws(RepositoryError) -> RestorePlan {
    let diff = TreeDiff(old: current.source, new: target.source, monitor: monitor, limit: EntryLimit.held)
    try translating { () throws(StoreError) in
      try diff.walk(from: current.tree, to: target.tree, label: 0) { (directory, old, new) throws(StoreError) in
        TreeStep(inside: add(directory, old, new))
      }
    }
    try keepFolders()
    if current.links != target.links || !plan.items.isEmpty { try addLinks() }
    try plan.total()
    return plan
  }

  /// Adds one difference to the plan. Returns the label of the directory to enter; nil enters none.
  private mutating func add(_ directory: Int, _ old: TreeEntry?, _ new: TreeEntry?) -> Int? {
    // A file that changed while it was read is listed as untouchable, but the snapshot has it, so it is restored.
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
      // A link, fifo or device cannot be opened. When its metadata is set, its name may already belong to something
      // else. So it is made anew.
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

  /// Leaves a protected entry as it is. In a protected folder, the restore makes what is missing and does nothing else.
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

  /// Keeps the folders that were to be removed but hold protected files. What should take their places is not made.
  private mutating func keepFolders() throws(RepositoryError) {
    var places: Set<Place> = []
    for label in kept {
      var index = label
      while index > 0, plan.directories[index].fate == .remove {
        places.insert(Place(parent: plan.directories[index].parent, name: plan.directories[index].name))
        index = plan.directories[index].parent
      }
      plan.keep(directory: label)
    }
    if places.isEmpty { return }
    var items = plan.items
    try plan.items.forEach(.create) { (item) throws(RepositoryError) in
      if places.contains(Place(parent: item.directory, name: item.name)) { items.remove(item) }
    }
    plan.items = items
  }

  private mutating func addDirectory(
    _ parent: Int, _ fate: PlanDirectory.Fate, _ old: TreeEntry?, _ new: TreeEntry?
  ) -> Int {
    let name = new?.name ?? old?.name ?? []
    plan.directories.append(
      PlanDirectory(parent: parent, name: name, fate: fate, old: old?.metadata, new: new?.metadata))
    let label = plan.directories.count - 1
    if fate != .remove { labels?[Place(parent: parent, name: name)] = label }
    return label
  }

  // MARK: Hard links

  /// Where the groups of hard links or their content differ, each name in them gets a new file, which its group shares.
  /// A file that has other names, here or outside, is never changed through one of them.
  private mutating func addLinks() throws(RepositoryError) {
    if current.links.isEmpty, target.links.isEmpty, current.linkedOutside.isEmpty { return }
    var items = try linkedItems()
    // A group of which only metadata changes keeps its file.
    let same = Set(current.links).intersection(target.links).filter { group in
      group.allSatisfy { items[$0].map { $0.action == .metadata } ?? true }
    }
    var concerned: Set<[UInt8]> = []
    for group in current.links + target.links where !same.contains(group) { concerned.formUnion(group) }
    for path in concerned.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      if protected?.covers(path) == true { continue }
      guard let (directory, entry) = try locate(path) else { continue }
      if let item = items[path] {
        if item.action == .metadata { items[path] = replace(item) }
      } else {
        var item = PlanItem(directory: directory, action: .replace, old: entry, new: entry)
        item.number = plan.items.append(item)
        items[path] = LinkedItem(item)
      }
    }
    for group in target.links {
      guard let first = items[group[0]] else { continue }
      for path in group.dropFirst() {
        if let item = items[path] { plan.items.link(item.number, to: first.number, action: item.action) }
      }
    }
  }

  /// The item of a file with several names.
  private struct LinkedItem {
    let number: Int
    var action: RestoreAction.Kind

    init(_ item: PlanItem) {
      number = item.number
      action = item.action
    }
  }

  /// Gives the file a new inode, although only its metadata differs.
  private mutating func replace(_ item: LinkedItem) -> LinkedItem {
    var item = item
    item.action = .replace
    plan.items.setAction(.replace, of: item.number)
    return item
  }

  /// The items of all names that are hard links on either side, by path.
  private mutating func linkedItems() throws(RepositoryError) -> [[UInt8]: LinkedItem] {
    var paths = current.linkedOutside
    for group in current.links { paths.formUnion(group) }
    for group in target.links { paths.formUnion(group) }
    var items: [[UInt8]: LinkedItem] = [:]
    try plan.items.forEach { (item) throws(RepositoryError) in
      if item.new == nil { return }
      let path = plan.path(of: item).bytes
      if paths.contains(path) { items[path] = LinkedItem(item) }
    }
    for (path, item) in items where item.action == .metadata && current.linkedOutside.contains(path) {
      items[path] = replace(item)
    }
    return items
  }

  /// The directory in the plan, and the entry in the target, of a path; nil when the target has no file there.
  private mutating func locate(_ path: [UInt8]) throws(RepositoryError) -> (Int, TreeEntry)? {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard var tree = target.tree, let last = names.last else { return nil }
    var label = 0
    for name in names.dropLast() {
      guard let entry = try entry(named: name, of: tree), let below = entry.tree else { return nil }
      label = self.label(of: Place(parent: label, name: name)) ?? addDirectory(label, .keep, entry, entry)
      tree = below
    }
    guard let entry = try entry(named: last, of: tree), !entry.isDirectory else { return nil }
    return (label, entry)
  }

  private func entry(named name: [UInt8], of tree: ObjectID) throws(RepositoryError) -> TreeEntry? {
    try translating { () throws(StoreError) in try TreeReader.entry(named: name, of: tree, in: target.source) }
  }

  /// The label of the folder at this place, unless it is removed.
  private mutating func label(of place: Place) -> Int? {
    if let labels { return labels[place] }
    var labels: [Place: Int] = [:]
    for (label, directory) in plan.directories.enumerated().dropFirst() where directory.fate != .remove {
      labels[Place(parent: directory.parent, name: directory.name)] = label
    }
    self.labels = labels
    return labels[place]
  }
}
