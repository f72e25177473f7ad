// What the browser has to say: what was done, or why it was not.

package struct ScreenMessage: Equatable, Sendable {
  package var lines: [String]
  package var isAlarm: Bool

  /// Lines that can be shown as they are: nothing in them controls a terminal.
  package init(_ lines: [String], isAlarm: Bool = false) {
    self.lines = lines
    self.isAlarm = isAlarm
  }

  package init(_ line: String, isAlarm: Bool = false) {
    self.init([line], isAlarm: isAlarm)
  }
}
