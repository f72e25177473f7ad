// What a walk records although it is ignored: files where a restore will put something. They must be saved before they
// are overwritten, and compared with what the restore brings.

internal import MementoStore

/// The tree that a restore will put into the folder.
struct WantedPaths: Sendable {
  let tree: ObjectID
  let source: any MetaSource

  /// What is wanted at the top.
  var top: WantedFolder { .folder(tree, isIgnored: false) }
}

/// What is recorded in one folder in addition to what is not ignored.
enum WantedFolder: Sendable {
  /// The entries of this tree. `isIgnored`: the folder itself is ignored, so nothing else in it is recorded.
  case folder(ObjectID, isIgnored: Bool)
  /// Everything, because the restore will put something else in its place.
  case everything
}
