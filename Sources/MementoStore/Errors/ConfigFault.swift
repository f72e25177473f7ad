// A value of `config` that cannot be used.

/// A line of the config with a value that is not understood.
package struct ConfigFault: Equatable, Sendable {
  /// Where it stands; the first line is 1.
  package var line: Int
  package var text: String
  package var reason: String

  package init(line: Int, text: String, reason: String) {
    self.line = line
    self.text = text
    self.reason = reason
  }
}
