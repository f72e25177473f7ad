// A text that names a snapshot.

/// Names a snapshot, as on the command line: `NAME`, `NAME~2`, `NAME@{2h}`, `@`, `@~1`, `@{2026-06-01}`, or at least
/// the first four digits of an id. A string literal is a revision, too.
///
///     try repository.restore("before-upgrade")
///     try repository.restore(Revision(name))
public struct Revision: Hashable, Sendable {
  /// The text as it was written.
  public let text: String

  /// Accepts any text. An operation that uses the revision throws when it names no snapshot.
  public init(_ text: String) {
    self.text = text
  }

  /// Names a snapshot by its id.
  public init(_ snapshot: SnapshotID) {
    text = snapshot.description
  }

  /// The folder's position on the timeline: `@`.
  public static let position = Revision("@")
}

extension Revision: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// Makes a revision of a literal.
  public init(stringLiteral text: String) {
    self.init(text)
  }
}

extension Revision: CustomStringConvertible {
  /// The text as it was written.
  public var description: String { text }
}
