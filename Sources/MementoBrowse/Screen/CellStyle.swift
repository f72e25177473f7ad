// How a cell looks, by its meaning. Only this file knows the escape codes.

/// What a text is, which decides about its colour.
package enum Ink: Sendable {
  case plain
  case faint
  case heading
  case added
  case removed
  case hunk
  case id
  case name
  case current
  case alarm
  case folder

  fileprivate var color: String {
    switch self {
    case .plain: ""
    case .faint: "2"
    case .heading: "1"
    case .added: "32"
    case .removed: "31"
    case .hunk, .name: "36"
    case .id: "33"
    case .current: "1;32"
    case .alarm: "1;31"
    case .folder: "1;34"
    }
  }

  /// Without colour, what stands out is bold.
  fileprivate var weight: String {
    switch self {
    case .heading, .current, .alarm, .folder: "1"
    default: ""
    }
  }
}

package struct CellStyle: Equatable, Sendable {
  package var ink: Ink
  /// For the selected line, the titles and the keys.
  package var isReversed: Bool

  package init(_ ink: Ink = .plain, isReversed: Bool = false) {
    self.ink = ink
    self.isReversed = isReversed
  }

  package static let plain = CellStyle()

  /// The sequence that switches from any other style to this one.
  func sequence(isColored: Bool) -> String {
    let codes = ["0", isColored ? ink.color : ink.weight, isReversed ? "7" : ""]
    return "\u{1B}[" + codes.filter { !$0.isEmpty }.joined(separator: ";") + "m"
  }
}
