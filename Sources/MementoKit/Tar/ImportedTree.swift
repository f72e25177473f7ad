// The folder that an archive describes, while it is read. It is what tar would leave on a disk: the last entry of a name wins,
// folders that no entry names are made, and a hard link is another name of what its target is at that time. Nothing of it is on
// a disk, so there is nothing outside of it that an entry could reach.

internal import MementoStore
internal import MementoSystem

struct ImportedTree {
  /// Folders in folders. Linux itself reaches no deeper by one path.
  static let deepest = 4096

  private enum Node {
    case folder(Int)
    case file(Int)
  }

  private struct Folder {
    let parent: Int
    let name: [UInt8]
    var metadata: FileMetadata
    var children: [[UInt8]: Node] = [:]
  }

  private struct File {
    let metadata: FileMetadata
    let content: EntryContent
    var names = 0
  }

  /// Why an entry has no place, as a phrase.
  struct Refusal: Error {
    let reason: String
  }

  // Each folder stands behind the one that it is in. Numbers in place of references: a chain of any depth is freed at once.
  private var folders: [Folder]
  private var files: [File] = []

  /// `root`: the metadata of the folder itself, unless an entry says otherwise.
  init(root: FileMetadata) {
    folders = [Folder(parent: 0, name: [], metadata: root)]
  }

  /// The names between the slashes. Throws when a restore could not make them.
  static func components(_ path: [UInt8]) throws(Refusal) -> [[UInt8]] {
    var names: [[UInt8]] = []
    for part in path.split(separator: UInt8(ascii: "/")) {
      if part.elementsEqual(".".utf8) { continue }
      if part.elementsEqual("..".utf8) { throw Refusal(reason: "its path contains ..") }
      if let refusal = EntryName.refusal(part) { throw Refusal(reason: "its path contains \(refusal)") }
      names.append(Array(part))
    }
    if names.count > deepest { throw Refusal(reason: "it is more than \(deepest) folders deep") }
    return names
  }

  /// Whether an entry may be at a path. `made`: the metadata of folders above it that are missing.
  mutating func add(
    _ content: EntryContent, _ metadata: FileMetadata, at names: [[UInt8]], made: FileMetadata
  ) throws(Refusal) {
    guard let name = names.last else { throw Refusal(reason: "it would take the place of the folder itself") }
    let folder = try folder(names.dropLast(), made)
    try put(File(metadata: metadata, content: content), name, in: folder)
  }

  private mutating func put(_ file: File, _ name: [UInt8], in folder: Int) throws(Refusal) {
    try makeRoom(for: name, in: folder)
    files.append(file)
    files[files.count - 1].names = 1
    folders[folder].children[name] = .file(files.count - 1)
  }

  /// Adds a folder, or gives one that is there other metadata.
  mutating func addFolder(_ metadata: FileMetadata, at names: [[UInt8]], made: FileMetadata) throws(Refusal) {
    guard let name = names.last else {
      folders[0].metadata = metadata
      return
    }
    let parent = try folder(names.dropLast(), made)
    if case .folder(let number) = folders[parent].children[name] {
      folders[number].metadata = metadata
    } else {
      try makeRoom(for: name, in: parent)
      _ = makeFolder(name, in: parent, metadata)
    }
  }

  /// Makes `names` another name of what is at `target`.
  mutating func addLink(at names: [[UInt8]], to target: [[UInt8]], made: FileMetadata) throws(Refusal) {
    guard let name = names.last else { throw Refusal(reason: "it would take the place of the folder itself") }
    guard let place = target.last, let above = find(target.dropLast()), let found = folders[above].children[place]
    else {
      throw Refusal(reason: "a hard link to what is not before it in the archive")
    }
    guard case .file(let file) = found else { throw Refusal(reason: "a hard link to a folder") }
    let folder = try folder(names.dropLast(), made)
    if case .file(file) = folders[folder].children[name] { return }
    try makeRoom(for: name, in: folder)
    files[file].names += 1
    folders[folder].children[name] = .file(file)
  }

  /// Takes away what has a name. As tar does, it keeps a folder that is not empty.
  private mutating func makeRoom(for name: [UInt8], in folder: Int) throws(Refusal) {
    switch folders[folder].children[name] {
    case .file(let file): files[file].names -= 1
    case .folder(let number):
      guard folders[number].children.isEmpty else {
        throw Refusal(reason: "a folder with something in it has the name")
      }
      folders[folder].children[name] = nil
    case nil: break
    }
  }

  private mutating func makeFolder(_ name: [UInt8], in parent: Int, _ metadata: FileMetadata) -> Int {
    folders.append(Folder(parent: parent, name: name, metadata: metadata))
    folders[parent].children[name] = .folder(folders.count - 1)
    return folders.count - 1
  }

  /// The folder of this path; nil when there is none.
  private func find(_ names: ArraySlice<[UInt8]>) -> Int? {
    var folder = 0
    for name in names {
      guard case .folder(let next) = folders[folder].children[name] else { return nil }
      folder = next
    }
    return folder
  }

  /// The same, and makes what is missing. A link is never followed.
  private mutating func folder(_ names: ArraySlice<[UInt8]>, _ made: FileMetadata) throws(Refusal) -> Int {
    var folder = 0
    for name in names {
      switch folders[folder].children[name] {
      case .folder(let next): folder = next
      case .file: throw Refusal(reason: "what is above it in its path is not a folder")
      case nil: folder = makeFolder(name, in: folder, made)
      }
    }
    return folder
  }
}

// MARK: - The finished tree

/// What a finished tree holds.
struct ImportedTotals {
  var tree: ObjectID
  var root: FileMetadata
  /// Regular files, each name counted.
  var files = 0
  var bytes: UInt64 = 0
  /// All but folders.
  var entries = 0
  /// As in `LinkTable`.
  var links: [[[UInt8]]] = []
}

extension ImportedTree {
  /// Stores all trees, the innermost first.
  consuming func finish(_ writer: ObjectWriter) throws(StoreError) -> ImportedTotals {
    var trees = [ObjectID](repeating: .zero, count: folders.count)
    var links: [Int: [[UInt8]]] = [:]
    var totals = ImportedTotals(tree: .zero, root: folders[0].metadata)
    let present = presentFolders()
    for number in folders.indices.reversed() where present[number] {
      var builder = TreeBuilder()
      let children = folders[number].children.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      for (name, node) in children {
        let entry: TreeEntry
        switch node {
        case .folder(let below):
          entry = TreeEntry(name: name, metadata: folders[below].metadata, content: .directory(trees[below]))
        case .file(let file):
          entry = TreeEntry(name: name, metadata: files[file].metadata, content: files[file].content)
          totals.entries += 1
          if case .file(let size, _) = files[file].content {
            totals.files += 1
            totals.bytes = totals.bytes.addingWithLimit(size)
          }
          if files[file].names > 1 { links[file, default: []].append(path(of: name, in: number)) }
        }
        var encoded = ByteWriter()
        TreeEntryCodec.encode(entry, into: &encoded)
        try ImportedTree.append(name, encoded.bytes, to: &builder, writer)
      }
      trees[number] = try builder.finish(writer)
      // What is stored is not needed again.
      folders[number].children = [:]
    }
    totals.tree = trees[0]
    totals.links = links.values.filter { $0.count > 1 }
      .map { $0.sorted { $0.lexicographicallyPrecedes($1) } }
      .sorted { $0[0].lexicographicallyPrecedes($1[0]) }
    return totals
  }

  private static func append(
    _ name: [UInt8], _ entry: [UInt8], to builder: inout TreeBuilder, _ writer: ObjectWriter
  ) throws(StoreError) {
    try name.withUnsafeBufferPointer { (name) throws(StoreError) in
      try entry.withUnsafeBufferPointer { (entry) throws(StoreError) in
        try builder.append(name: name, encoded: UnsafeRawBufferPointer(entry), to: writer)
      }
    }
  }

  /// Which folders are still in their place: a file may have taken that of an empty one.
  private func presentFolders() -> [Bool] {
    var present = [Bool](repeating: false, count: folders.count)
    present[0] = true
    for number in folders.indices.dropFirst() {
      let folder = folders[number]
      guard present[folder.parent], case .folder(number) = folders[folder.parent].children[folder.name] else {
        continue
      }
      present[number] = true
    }
    return present
  }

  private func path(of name: [UInt8], in folder: Int) -> [UInt8] {
    var parts = [name]
    var number = folder
    while number != 0 {
      parts.append(folders[number].name)
      number = folders[number].parent
    }
    return Array(parts.reversed().joined(separator: [UInt8(ascii: "/")]))
  }
}
