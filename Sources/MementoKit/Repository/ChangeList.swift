// The first of many changes, with the rest counted: what saves and comparisons of snapshots tell programs.

/// Paths that differ, up to a limit.
public struct ChangeList: Equatable, Sendable {
  /// The first changes in the order of the folder, sorted by path.
  public var first: [Change] = []
  /// How many more there are.
  public var omitted = 0

  /// Makes a list without changes.
  public init() {}

  /// Whether nothing differs.
  public var isEmpty: Bool { first.isEmpty && omitted == 0 }
}

/// What a list of changes holds.
public struct ChangeListOptions: Equatable, Sendable {
  /// How many paths are listed. The rest is counted.
  public var limit = 1000
  /// Patterns in gitignore's grammar, relative to the folder. What they match is not listed.
  public var hiding: [[UInt8]] = []

  /// Makes options with the defaults, which list the first thousand.
  public init() {}
}
