// Colours by their meaning. Only this file knows the escape codes.

struct Style: Sendable {
  let isColored: Bool

  static let plain = Style(isColored: false)

  init(isColored: Bool) {
    self.isColored = isColored
  }

  /// `variable` gives an environment variable; nil when it is not set or empty.
  init(_ choice: ColorChoice, isTerminal: Bool, variable: (String) -> String?) {
    switch choice {
    case .always: isColored = true
    case .never: isColored = false
    case .auto:
      isColored = isTerminal && variable("NO_COLOR") == nil && variable("TERM") ?? "dumb" != "dumb"
    }
  }

  /// For a problem.
  func alarm(_ text: String) -> String { paint(text, "1;31") }
  /// For the snapshot where the folder is.
  func current(_ text: String) -> String { paint(text, "1;32") }
  /// For the id of a snapshot.
  func id(_ text: String) -> String { paint(text, "33") }
  /// For the name of a state.
  func name(_ text: String) -> String { paint(text, "36") }
  /// For text that is less important than the text beside it.
  func faint(_ text: String) -> String { paint(text, "2") }
  /// For a removed line of a file.
  func removed(_ text: String) -> String { paint(text, "31") }
  /// For an added line of a file.
  func added(_ text: String) -> String { paint(text, "32") }
  /// For what has another content than before.
  func changed(_ text: String) -> String { paint(text, "33") }
  /// For the position of changes in a file.
  func hunk(_ text: String) -> String { paint(text, "36") }
  /// For a heading of the lines below.
  func heading(_ text: String) -> String { paint(text, "1") }
  /// For a folder in a list of files.
  func folder(_ text: String) -> String { paint(text, "1;34") }

  private func paint(_ text: String, _ code: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
