// Turns chosen pieces into edits of the present tree. A path that is not what it was when it was compared gets none.

internal import MementoStore
internal import MementoSystem

struct PatchComposition {
  let source: any MetaSource
  let writer: ObjectWriter
  let chunker: Chunker
  /// The folder as it is, and as the snapshot has it.
  let now: ObjectID
  let target: ObjectID
  private(set) var edits = TreeEdits()
  /// The chosen paths that are not what they were.
  private(set) var changed: [BytePath] = []
  /// The paths that become what they are in the snapshot, with all that is in them.
  private var whole: Set<[UInt8]> = []
  /// The time of contents that no snapshot has had. One for all, so that names of one file stay names of one file.
  private let time = Clock.now()

  init(source: any MetaSource, writer: ObjectWriter, chunker: Chunker, now: ObjectID, target: ObjectID) {
    self.source = source
    self.writer = writer
    self.chunker = chunker
    self.now = now
    self.target = target
  }

  mutating func add(_ choice: PatchChoice) throws(StoreError) {
    let path = choice.path
    let present = try TreePath.entry(path, in: now, source)
    let wanted = try TreePath.entry(path, in: target, source)
    guard try isReachable(path), try isAsShown(present, choice), PatchComposition.isSame(wanted, choice.change.new)
    else {
      changed.append(path)
      return
    }
    guard let wanted else {
      edits.add(.remove, at: path)
      try prepareFolders(of: path)
      return
    }
    if let present, let entry = try edited(present, wanted, choice) {
      edits.add(present.isDirectory ? .metadata(entry.metadata) : .set(entry), at: path)
    } else {
      whole.insert(path.bytes)
      edits.add(.set(wanted), at: path)
      try prepareFolders(of: path)
    }
  }

  /// Whether nothing on the way to a path is anything but a folder.
  private func isReachable(_ path: BytePath) throws(StoreError) -> Bool {
    var way = BytePath("")
    for name in path.components.dropLast() {
      way = way.appending(name)
      guard let entry = try TreePath.entry(way, in: now, source) else { return true }
      if !entry.isDirectory { return false }
    }
    return true
  }

  /// Whether a path is still what the user has seen. Its time does not count.
  private func isAsShown(_ present: TreeEntry?, _ choice: PatchChoice) throws(StoreError) -> Bool {
    let shown = choice.change.old
    guard let present, let shown else { return present == nil && shown == nil }
    let found = FileEntry(present)
    switch choice.part {
    case .whole:
      // What is in a folder belongs to it only when it goes with the folder.
      if found.type == .directory, choice.change.new?.type == .directory { break }
      return found.isSame(butForTimeAs: shown)
    case .metadata: break
    case .text(let base, _, let withMetadata):
      guard case .file(let size, let content) = present.content, size == UInt64(base.count),
        try writer.storeContent(base, chunker: chunker).content == content
      else { return false }
      if !withMetadata { return true }
    }
    return found.type == shown.type && found.isSameMetadata(as: shown)
  }

  /// Whether the snapshot has what the change says. The caller may have made the change for another snapshot.
  private static func isSame(_ wanted: TreeEntry?, _ shown: FileEntry?) -> Bool {
    wanted.map { FileEntry($0) } == shown
  }

  /// The entry with the chosen pieces; nil when that is the entry of the snapshot.
  private func edited(
    _ present: TreeEntry, _ wanted: TreeEntry, _ choice: PatchChoice
  ) throws(StoreError) -> TreeEntry? {
    var entry = present
    switch choice.part {
    case .whole:
      guard present.isDirectory, wanted.isDirectory else { return nil }
      entry.metadata = wanted.metadata
    case .metadata:
      entry.metadata = wanted.metadata
      entry.metadata.modified = present.metadata.modified
      if entry == wanted { return nil }
    case .text(_, let result?, let withMetadata):
      let stored = try writer.storeContent(result, chunker: chunker)
      let content = EntryContent.file(size: stored.size, stored.content)
      if withMetadata { entry.metadata = wanted.metadata }
      entry.metadata.modified = content == present.content ? present.metadata.modified : time
      entry.content = content
    case .text(_, nil, let withMetadata):
      if withMetadata || present.metadata.isSame(butForTimeAs: wanted.metadata) { return nil }
      entry.content = wanted.content
      entry.metadata.modified = wanted.metadata.modified
    }
    return entry
  }

  /// Makes the folders around a path that only the snapshot has, and removes those that only the present tree has if
  /// nothing is left in them.
  private mutating func prepareFolders(of path: BytePath) throws(StoreError) {
    var way = BytePath("")
    for name in path.components.dropLast() {
      way = way.appending(name)
      let present = try TreePath.entry(way, in: now, source)
      let wanted = try TreePath.entry(way, in: target, source)
      if present == nil, let wanted, wanted.isDirectory {
        edits.add(.make(wanted.metadata, evenEmpty: false), at: way)
      } else if present != nil, wanted?.isDirectory != true {
        edits.add(.removeIfEmpty, at: way)
      }
    }
  }

  // MARK: Hard links

  /// The hard links of the edited tree: those of the snapshot for paths that become what they are there, and those of the
  /// folder for all others. Names of one file stay so as long as they have the same content and metadata.
  func links(
    now: [[[UInt8]]], target: [[[UInt8]]], of edited: ObjectID, in source: any MetaSource
  ) throws(StoreError) -> [[[UInt8]]] {
    let groups = target.map { $0.filter(isWhole) } + now.map { $0.filter { !isWhole($0) } }
    var result: [[[UInt8]]] = []
    for group in groups where group.count > 1 {
      var parts: [(entry: TreeEntry, paths: [[UInt8]])] = []
      for path in group {
        guard var entry = try TreePath.entry(BytePath(path), in: edited, source), !entry.isDirectory else { continue }
        entry.name = []
        if let index = parts.firstIndex(where: { $0.entry == entry }) {
          parts[index].paths.append(path)
        } else {
          parts.append((entry, [path]))
        }
      }
      result += parts.map(\.paths).filter { $0.count > 1 }
    }
    return result.sorted { $0[0].lexicographicallyPrecedes($1[0]) }
  }

  private func isWhole(_ path: [UInt8]) -> Bool {
    whole.contains(path)
      || path.indices.contains { path[$0] == UInt8(ascii: "/") && whole.contains(Array(path[..<$0])) }
  }
}
