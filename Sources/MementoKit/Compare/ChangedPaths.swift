// Where a comparison of two trees is: the paths of the directories it has entered, and which part of each is meant.

internal import MementoStore

struct ChangedPaths {
  private var directories: [(path: BytePath, filter: PathFilter)]

  /// Empty `paths`: everything is meant.
  init(_ paths: [BytePath]) {
    directories = [(BytePath(""), PathFilter(paths))]
  }

  /// Where a name is; nil when neither it nor anything in it is meant. `isMeant`: the name itself is. `inside`: the label of
  /// the directory, if it is one.
  private mutating func enter(
    _ directory: Int, _ old: TreeEntry?, _ new: TreeEntry?
  ) -> (path: BytePath, isMeant: Bool, inside: Int?)? {
    guard let name = (new ?? old)?.name, let filter = directories[directory].filter.inside(name) else { return nil }
    let path = directories[directory].path.appending(name)
    guard old?.isDirectory == true || new?.isDirectory == true else {
      return filter.isAll ? (path, true, nil) : nil
    }
    directories.append((path, filter))
    return (path, filter.isAll, directories.count - 1)
  }

  /// Calls `visit` with each path that differs between two trees and is not to be hidden, with all that is in it. What
  /// cannot be read of the store is an error that says of which folder.
  static func walk(
    _ diff: TreeDiff<StoreError>, from old: ObjectID?, to new: ObjectID, _ paths: [BytePath],
    hiding isHidden: (_ path: BytePath, _ old: TreeEntry?, _ new: TreeEntry?) -> Bool = { _, _, _ in false },
    _ visit: (_ path: BytePath, _ kind: ChangeKind, _ old: TreeEntry?, _ new: TreeEntry?) -> Void
  ) throws(RepositoryError) {
    var places = ChangedPaths(paths)
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
