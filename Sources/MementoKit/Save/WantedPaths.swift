// What a walk records although it is ignored: whatever lies where a restore puts something. It has to be saved before it is
// overwritten, and compared with what comes.

internal import MementoStore

/// The tree of what is going to be put into the folder.
struct WantedPaths: Sendable {
  let tree: ObjectID
  let source: any MetaSource

  /// What is wanted at the top.
  var top: WantedFolder { .folder(tree, isIgnored: false) }
}

/// What is wanted in one folder beside what is not ignored.
enum WantedFolder: Sendable {
  /// What the tree has. `isIgnored`: the folder itself is ignored, and nothing else in it is recorded.
  case folder(ObjectID, isIgnored: Bool)
  /// All of it: something else is going to be in its place.
  case everything
}
