// What differs between a snapshot and the folder, and is no change that anybody made: what a rule takes out now is there
// still, and a folder that seems new and empty is there for what is left out of it.

internal import MementoSystem

struct HiddenDifferences {
  private let root: SharedDescriptor
  private var lookup: IgnoreLookup

  init(root: SharedDescriptor, filter: FolderFilter) {
    self.root = root
    lookup = IgnoreLookup(root: root, filter: filter)
  }

  mutating func contains(_ path: BytePath, _ old: TreeEntry?, _ new: TreeEntry?) -> Bool {
    switch (old, new) {
    case (let old?, nil): lookup.hides(path, isFolder: old.isDirectory)
    case (nil, let new?): new.tree == TreeFormat.empty && !DirectoryHandle.isEmptyFolder(path, below: root)
    default: false
    }
  }
}

extension DirectoryHandle {
  /// Whether nothing at all is in a folder; true when it is not there.
  static func isEmptyFolder(_ path: BytePath, below root: SharedDescriptor) -> Bool {
    var handle = DirectoryHandle(root: root, pool: HandlePool())
    for name in path.components { handle = DirectoryHandle(parent: handle, name: name) }
    guard let open = try? handle.open(), let listing = try? DirectoryListing(reading: open.descriptor) else {
      return true
    }
    return listing.count == 0
  }
}
