// The parts of a store that were restored before it could be opened.

/// A part of a store that was missing or damaged and has been restored.
package struct MendedPart: Equatable, Sendable {
  /// What it was restored from.
  package enum Source: Sendable {
    /// From the second copy in `backup/`.
    case backup
    /// With the values of a new store. The former values are lost.
    case standard
    /// An empty folder, or a file that memento makes when needed.
    case empty
  }

  /// Its path in the store.
  package var path: String
  package var source: Source

  package init(path: String, source: Source) {
    self.path = path
    self.source = source
  }
}
