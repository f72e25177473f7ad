// What somebody has typed.

/// A key, as far as the browser knows it.
package enum Key: Hashable, Sendable {
  /// A character that is shown.
  case character(Character)
  /// A letter with Ctrl.
  case control(Character)
  case up
  case down
  case left
  case right
  case home
  case end
  case pageUp
  case pageDown
  case enter
  case tab
  case backTab
  case escape
  case backspace
  case delete
}
