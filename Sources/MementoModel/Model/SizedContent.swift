// A content together with its length.

/// A content with its length in bytes: of a value, or of a list that may be long.
package struct SizedContent: Hashable, Sendable {
  package var size: UInt64
  package var content: FileContent

  package init(size: UInt64, content: FileContent) {
    self.size = size
    self.content = content
  }
}
