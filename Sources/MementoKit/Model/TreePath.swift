// From a path to its entry.

internal import MementoStore

/// Looks up a path in a tree.
enum TreePath {
  static func entry(
    _ path: BytePath, in tree: ObjectID, _ source: any MetaSource
  ) throws(StoreError) -> TreeEntry? {
    var current = tree
    var found: TreeEntry?
    for name in path.components {
      if let found {
        guard let below = found.tree else { return nil }
        current = below
      }
      found = try TreeReader.entry(named: name, of: current, in: source)
      if found == nil { return nil }
    }
    return found
  }
}
