// The text that names a snapshot.

/// What names a snapshot, as on the command line: `NAME`, `NAME~2`, `NAME@{2h}`, `@`, `@~1`, `@{2026-06-01}`, or the first
/// four or more digits of an id. A string literal makes one.
///
///     try repository.restore("before-upgrade")
///     try repository.restore(Revision(name))
public struct Revision: Hashable, Sendable {
  /// As it was written.
  public let text: String

  /// Whether the text names a snapshot is found out when the revision is used.
  public init(_ text: String) {
    self.text = text
  }

  /// This very snapshot.
  public init(_ snapshot: SnapshotID) {
    text = snapshot.description
  }

  /// Where the folder is: `@`.
  public static let position = Revision("@")
}

extension Revision: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// A revision from a literal.
  public init(stringLiteral text: String) {
    self.init(text)
  }
}

extension Revision: CustomStringConvertible {
  /// As it was written.
  public var description: String { text }
}
