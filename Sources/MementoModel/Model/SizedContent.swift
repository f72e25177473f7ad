// Content with its length.

/// Content with its length, for lists that may be long.
package struct SizedContent: Equatable, Sendable {
  package var size: UInt64
  package var content: FileContent

  package init(size: UInt64, content: FileContent) {
    self.size = size
    self.content = content
  }
}
