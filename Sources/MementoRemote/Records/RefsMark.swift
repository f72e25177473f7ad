// What a local side remembers of a remote, in a file of its own.

internal import MementoModel
package import MementoObjects

/// What was seen of a remote, and what the local names were made upon. The file can be lost: then a push takes names that
/// differ for moved by two at once, and nobody notices a rollback. It must not be shared by two stores: the writer is one
/// for each of them.
package struct RefsMark: Equatable, Sendable {
  /// The id of the repository, as its marker says.
  package var repository: String
  package var isSealed: Bool
  package var writer: WriterID
  /// All names as last seen, with what had been seen by then.
  package var table = NameTable()
  package var heads: [Dot] = []
  package var bases: [RefName: NameBase] = [:]
  /// The indexes that are known here.
  package var indexes: Set<ObjectName> = []

  package init(repository: String, isSealed: Bool, writer: WriterID) {
    self.repository = repository
    self.isSealed = isSealed
    self.writer = writer
  }
}
