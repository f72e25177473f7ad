// Reads the entries of a folder in a snapshot one by one, since a folder may have millions.

internal import MementoStore

/// An entry of a folder in a snapshot.
public struct SnapshotEntry: Equatable, Sendable {
  /// The path, relative to the listed folder.
  public var path: BytePath
  /// The file, link or folder at the path.
  public var entry: FileEntry
}

/// The entries of a folder, sorted by the bytes of their names. A recursive list has each folder before its entries.
public struct SnapshotEntries: ~Copyable {
  private let store: Store
  /// The path of the listed folder. Errors name the damaged folder below it.
  private let root: BytePath
  private let isRecursive: Bool
  /// The only entry, when the listed path is not a folder.
  private var only: SnapshotEntry?
  /// The folders that are being read, each inside the one before it. The paths are relative to the listed folder.
  private var folders: [(path: BytePath, reader: TreeReader<StoreError>)]

  init(only entry: SnapshotEntry, store: Store) {
    self.store = store
    root = BytePath("")
    isRecursive = false
    only = entry
    folders = []
  }

  init(of tree: ObjectID, at path: BytePath, isRecursive: Bool, store: Store) {
    self.store = store
    root = path
    self.isRecursive = isRecursive
    folders = [(BytePath(""), TreeReader(tree, in: store))]
  }

  /// The next entry; nil at the end. Throws `.damaged` with the path of the folder that cannot be read.
  public mutating func next() throws(RepositoryError) -> SnapshotEntry? {
    if let entry = only {
      only = nil
      return entry
    }
    while let place = folders.indices.last {
      let below = folders[place].path
      let root = root
      let entry = try translating(reading: below.bytes.isEmpty ? root : root.appending(below.bytes)) {
        () throws(StoreError) in try folders[place].reader.next()
      }
      guard let entry else {
        folders.removeLast()
        continue
      }
      let path = below.appending(entry.name)
      if isRecursive, let tree = entry.tree { folders.append((path, TreeReader(tree, in: store))) }
      return SnapshotEntry(path: path, entry: FileEntry(entry))
    }
    return nil
  }
}
