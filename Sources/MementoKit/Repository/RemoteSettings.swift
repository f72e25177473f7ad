// What the config of a store says about remotes.

extension Repository {
  /// The remote that is meant where none is named; nil when the config names none.
  public var configuredRemote: String? { folderConfig.remote }

  /// The remote to which each save is to be pushed; nil for none. A save does not push by itself: a caller does.
  public var autoPush: String? { folderConfig.autoPush }
}
