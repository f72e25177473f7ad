// What was put back of a store before it could be opened.

/// A part of the store that was missing or damaged, and is there again.
package struct MendedPart: Equatable, Sendable {
  package enum Source: Sendable {
    /// From the second copy in `backup/`.
    case backup
    /// With the values that a new store has; what it said is lost.
    case standard
    /// An empty folder, or a file that memento makes when it needs it.
    case empty
  }

  /// In the store.
  package var path: String
  package var source: Source

  package init(path: String, source: Source) {
    self.path = path
    self.source = source
  }
}
