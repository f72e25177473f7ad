// A terminal that somebody looks at: tmux draws what a program sends, and tells what is on the screen.

import MementoSystem
import TestSupport
import Testing

/// A tmux server of its own with one window, in which a shell runs a script.
final class Tmux {
  /// Has the socket of the server, so that each server has its own.
  private let place: TemporaryDirectory
  private let directory: String

  /// `script` runs in bash in `directory`; `$PROGRAM` is the program.
  init(_ script: String, columns: Int, rows: Int, in directory: String, environment: [String: String] = [:]) throws {
    self.directory = directory
    place = try TemporaryDirectory()
    var words = [
      "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "env", "-u", "TMUX", "PROGRAM=\(Machine.program)",
    ]
    words += environment.map { "\($0)=\($1)" }.sorted()
    try run(words + ["bash", "--norc", "--noprofile", "-c", script])
  }

  deinit {
    _ = try? run(["kill-server"])  // it ends with its session otherwise
  }

  @discardableResult
  private func run(_ words: [String]) throws -> String {
    let launch = try Launch(
      ["tmux", "-S", place.path + "/tmux", "-f", "/dev/null"] + words, in: directory,
      environment: ["TERM": "xterm-256color"])
    if launch.status != 0 { throw UnexpectedStatus(arguments: words, launch: launch) }
    return launch.output
  }

  /// Types keys as tmux names them: `j`, `Enter`, `C-c`.
  func type(_ keys: String...) throws {
    for key in keys { try run(["send-keys", key]) }
  }

  /// Types a text as it is.
  func type(text: String) throws {
    try run(["send-keys", "-l", text])
  }

  func paste(_ text: String) throws {
    try run(["set-buffer", text])
    try run(["paste-buffer", "-p"])
  }

  func resize(columns: Int, rows: Int) throws {
    try run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
  }

  /// The rows of the screen, without blanks at their ends.
  func screen(withStyles: Bool = false) throws -> String {
    try run(["capture-pane", "-p"] + (withStyles ? ["-e"] : []))
  }

  /// What a format of tmux says, such as `#{alternate_on}`.
  func tell(_ format: String) throws -> String {
    try run(["display-message", "-p", format]).split(separator: "\n").joined()
  }

  /// Waits until the screen has all of these texts, and none of `absent`. Throws the screen when that does not come.
  @discardableResult
  func expect(_ texts: String..., absent: [String] = [], within seconds: Double = 60) throws -> String {
    let deadline = Clock.monotonicSeconds() + seconds
    while true {
      let screen = try screen()
      if texts.allSatisfy({ screen.contains($0) }), !absent.contains(where: { screen.contains($0) }) { return screen }
      if Clock.monotonicSeconds() > deadline { throw NotOnScreen(texts: texts, absent: absent, screen: screen) }
      _ = try? Readiness.wait(reading: nil, writing: nil, seconds: 0.05)  // an early end only looks again
    }
  }

  struct NotOnScreen: Error {
    let texts: [String]
    let absent: [String]
    let screen: String
  }
}
