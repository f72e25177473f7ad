// Gives a new file the content of another one without copying it: both share their blocks until one of them changes. Btrfs and
// XFS can do that.

internal import CMementoSystem

package struct FileCloning: Sendable {
  /// Whether files in the directory can share the blocks of this file. Changes nothing.
  package let isPossible: @Sendable (_ into: borrowing Descriptor, _ from: borrowing Descriptor) -> Bool
  /// Gives the empty file `to` all content of `from`.
  package let clone: @Sendable (_ to: borrowing Descriptor, _ from: borrowing Descriptor) throws(Errno) -> Void

  package init(
    isPossible: @escaping @Sendable (borrowing Descriptor, borrowing Descriptor) -> Bool,
    clone: @escaping @Sendable (borrowing Descriptor, borrowing Descriptor) throws(Errno) -> Void
  ) {
    self.isPossible = isPossible
    self.clone = clone
  }

  /// As the file system does it.
  package static let ofSystem = FileCloning(
    isPossible: { (into, from) in cs_clones_into(into.raw, from.raw) == 0 },
    clone: { (to, from) throws(Errno) in
      let (to, from) = (to.raw, from.raw)
      _ = try retrying { cs_clone(to, from) }
    })
}
