// Follows a comparison of two trees: the paths of the directories it has entered, and the part of each that is
// compared.

internal import MementoStore

struct ChangedPaths {
  private var directories: [(path: BytePath, selector: PathSelector)]

  init(_ selector: PathSelector) {
    directories = [(BytePath(""), selector)]
  }

  /// The path of a name in a directory; nil when the comparison wants neither the name nor anything in it. `isMeant`:
  /// the comparison wants the name itself. `inside`: the label of the directory, if it is one.
  private mutating func enter(
    _ directory: Int, _ old: TreeEntry?, _ new: TreeEntry?
  ) -> (path: BytePath, isMeant: Bool, inside: Int?)? {
    guard let name = (new ?? old)?.name, let selector = directories[directory].selector.inside(old, new) else {
      return nil
    }
    let path = directories[directory].path.appending(name)
    guard old?.isDirectory == true || new?.isDirectory == true else {
      return selector.isMeant ? (path, true, nil) : nil
    }
    directories.append((path, selector))
    return (path, selector.isMeant, directories.count - 1)
  }

  /// Calls `visit` with each path that `selector` means, that differs between two trees, and that `isHidden` does not hide. A hidden path hides
  /// all that is in it. Throws when the store cannot be read; damage names the folder that it is in.
  static func walk(
    _ diff: TreeDiff<StoreError>, from old: ObjectID?, to new: ObjectID, _ selector: PathSelector,
    hiding isHidden: (_ path: BytePath, _ old: TreeEntry?, _ new: TreeEntry?) -> Bool = { _, _, _ in false },
    _ visit: (_ path: BytePath, _ kind: ChangeKind, _ old: TreeEntry?, _ new: TreeEntry?) -> Void
  ) throws(RepositoryError) {
    var places = ChangedPaths(selector)
    let place = TreeDiff<StoreError>.Place()
    try translating(reading: places.directories[place.label].path) { () throws(StoreError) in
      try diff.walk(from: old, to: new, label: 0, at: place) { (directory, old, new) throws(StoreError) in
        guard let found = places.enter(directory, old, new) else { return .pass }
        if isHidden(found.path, old, new) { return .pass }
        if found.isMeant, let kind = ChangeKind(old, new) { visit(found.path, kind, old, new) }
        return TreeStep(inside: found.inside)
      }
    }
  }
}
