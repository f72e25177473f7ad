// From a path to its entry.

/// Looks up a path in a tree.
package enum TreePath {
  package static func entry<Failure: BlobFailure>(
    _ path: BytePath, in tree: ObjectID, _ source: any BlobSource<Failure>
  ) throws(Failure) -> TreeEntry? {
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
