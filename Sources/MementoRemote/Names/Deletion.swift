// What a deletion of names changes.

extension TableChange {
  /// Deletes names as they are shown. `NAME` with all its values, `NAME@host` with that value alone. Only values that
  /// `shown` has are deleted: what somebody else moves at the same time stays.
  package init(deleting texts: some Sequence<String>, of shown: ShownNames) {
    self.init()
    for text in texts {
      guard let name = shown[text] else { continue }
      let dots = text.utf8.elementsEqual(name.name.bytes) ? shown.all(of: name.name).flatMap(\.dots) : name.dots
      removals[name.name, default: []] += dots
    }
  }

  /// Deletes values as they are shown, and no others: `NAME` without `NAME@host`. A policy decides about each by itself.
  package init(deletingOnly shown: some Sequence<ShownName>) {
    self.init()
    for name in shown { removals[name.name, default: []] += name.dots }
  }

  /// Deletes the position of a writer, such as one of a machine that is gone.
  package init(deletingPositionOf writer: WriterID, in table: NameTable) {
    self.init()
    removedPositions[writer] = table.positions[writer].map(\.dot)
  }
}
