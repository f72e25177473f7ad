// Finds the entry of a path.

/// Looks up a path in a tree.
package enum TreePath {
  /// The entry of a path. Nil when there is none, or the path is empty. Throws when a tree is damaged or cannot be
  /// read.
  package static func entry<Failure: BlobFailure>(
    _ path: BytePath, in tree: ObjectID, _ source: any BlobSource<Failure>
  ) throws(Failure) -> TreeEntry? {
    var current = tree
    var found: TreeEntry?
    // A path may be long: nothing behind the first name that is not there is looked at.
    var rest = path.bytes[...]
    while !rest.isEmpty {
      let name = rest.prefix { $0 != UInt8(ascii: "/") }
      rest = rest[name.endIndex...].drop { $0 == UInt8(ascii: "/") }
      if name.isEmpty { continue }
      if let found {
        guard let below = found.tree else { return nil }
        current = below
      }
      found = try TreeReader.entry(named: Array(name), of: current, in: source)
      if found == nil { return nil }
    }
    return found
  }
}
