// Colour, where it is wanted: a few meanings, one place that knows the codes.

struct Style: Sendable {
  let isColored: Bool

  static let plain = Style(isColored: false)

  init(isColored: Bool) {
    self.isColored = isColored
  }

  init(_ choice: ColorChoice, isTerminal: Bool, context: CommandContext) {
    switch choice {
    case .always: isColored = true
    case .never: isColored = false
    case .auto:
      isColored = isTerminal && context.variable("NO_COLOR") == nil && context.variable("TERM") ?? "dumb" != "dumb"
    }
  }

  /// Something is wrong.
  func alarm(_ text: String) -> String { paint(text, "1;31") }
  /// Where the folder is.
  func current(_ text: String) -> String { paint(text, "1;32") }
  /// The id of a snapshot.
  func id(_ text: String) -> String { paint(text, "33") }
  /// The name of a state.
  func name(_ text: String) -> String { paint(text, "36") }
  /// Less important than what stands beside it.
  func faint(_ text: String) -> String { paint(text, "2") }
  /// A line of a file that was removed.
  func removed(_ text: String) -> String { paint(text, "31") }
  /// A line of a file that was added.
  func added(_ text: String) -> String { paint(text, "32") }
  /// Where in a file changes are.
  func hunk(_ text: String) -> String { paint(text, "36") }
  /// What the lines below are about.
  func heading(_ text: String) -> String { paint(text, "1") }
  /// A folder among files.
  func folder(_ text: String) -> String { paint(text, "1;34") }

  private func paint(_ text: String, _ code: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
