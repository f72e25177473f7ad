// How an archive becomes a snapshot.

/// How an archive is imported.
public struct ImportOptions: Sendable {
  /// A message that is stored with the snapshot.
  public var message: String?
  /// Throws `.nameInUse` when a state has the name, instead of replacing it.
  public var noClobber = false
  /// Reads the archive and writes nothing.
  public var isDryRun = false

  /// Makes options with the defaults.
  public init() {}
}
