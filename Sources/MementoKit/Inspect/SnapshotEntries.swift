// The entries of a folder in a snapshot, read one by one: a folder may have millions.

internal import MementoStore

/// An entry of a folder in a snapshot.
public struct SnapshotEntry: Equatable, Sendable {
  /// From the folder that is listed.
  public var path: BytePath
  /// What it is.
  public var entry: FileEntry
}

/// The entries of a folder in the order of their bytes, or of all folders in it, each before what is in it.
public struct SnapshotEntries: ~Copyable {
  private let store: Store
  /// The folder that is listed; errors name what is below it.
  private let root: BytePath
  private let isRecursive: Bool
  /// What was listed is no folder: it is its only entry.
  private var only: SnapshotEntry?
  /// The folders that are being read, each below the one before it, and where they are from the one that is listed.
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

  /// The next entry; nil at the end. Throws `.damaged`, with the path of the folder that cannot be read.
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
