// A line of `config` whose value cannot be used.

/// A line of `config` whose value is not understood.
package struct ConfigFault: Equatable, Sendable {
  /// The number of the line; the first line is 1.
  package var line: Int
  package var text: String
  package var reason: String
  /// The path of the file, when it is another one than the `config` of the store.
  package var file: String?

  package init(file: String? = nil, line: Int, text: String, reason: String) {
    self.file = file
    self.line = line
    self.text = text
    self.reason = reason
  }
}
