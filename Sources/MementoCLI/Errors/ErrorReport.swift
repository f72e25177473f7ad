// The one form in which a failure reaches the user: a line, a hint, or an object under --json.

import MementoKit

/// Why a command failed, ready to be printed.
struct ErrorReport: Error, Equatable, Sendable {
  var status: ExitStatus
  /// The machine's word for it; most are the library's.
  var id: String
  /// What could not be done and why, one line.
  var message: String
  /// What to do about it, one line.
  var advice: String?
  var path: BytePath?
  /// What stands in the way, a line each.
  var problems: [Problem] = []
  /// The status is that of a command that was to be run, and not one of memento's own.
  var isCommandStatus = false
  /// A command has run before, and may have left a line unfinished.
  var followsCommand = false

  init(status: ExitStatus, id: String, _ message: String, advice: String? = nil, path: BytePath? = nil) {
    self.status = status
    self.id = id
    self.message = message
    self.advice = advice
    self.path = path
  }

  init(_ error: RepositoryError) {
    self.init(
      status: ExitStatus(error.code), id: error.code.description, error.message, advice: error.advice, path: error.path)
    problems = error.problems
  }

  /// A failure that this program finds out by itself, and for which the library has a code.
  init(_ code: RepositoryError.Code, _ message: String, advice: String? = nil, path: BytePath? = nil) {
    self.init(status: ExitStatus(code), id: code.description, message, advice: advice, path: path)
  }

  /// A command line that makes no sense.
  static func usage(_ message: String, advice: String? = nil) -> ErrorReport {
    ErrorReport(status: .usage, id: "usage", message, advice: advice)
  }

  /// A system call that failed.
  static func system(_ operation: String, _ path: BytePath, _ error: SystemError) -> ErrorReport {
    ErrorReport(.system, "cannot \(operation) \(TerminalText.escaped(path)): \(error)", path: path)
  }

  /// A command that could not be run, with the status that shells have for that.
  static func cannotRun(_ command: BytePath, _ error: SystemError) -> ErrorReport {
    var report = system("run", command, error)
    report.status = error.isMissing ? .commandNotFound : .commandNotRun
    report.isCommandStatus = true
    return report
  }
}

extension ErrorReport {
  /// A failure of `run`: what memento itself fails with must not be taken for the status of the command. An interruption
  /// keeps its own.
  var ofRun: ErrorReport {
    if isCommandStatus || id == RepositoryError.Code.cancelled.description { return self }
    var report = self
    report.status = .runFailed
    return report
  }

  /// The lines for people: what and why, and below it what to do.
  func text(style: Style) -> String {
    let head = style.alarm("memento:") + " "
    var text = problems.map {
      head + TerminalText.escaped($0.path) + ": " + TerminalText.escaped($0.text) + "\n"
    }.joined()
    text += head + TerminalText.escaped(message) + "\n"
    if let advice { text += style.faint("hint:") + " " + TerminalText.escaped(advice) + "\n" }
    return text
  }
}

extension ErrorReport {
  /// Whatever was thrown. `signal`: the one that asked for an end; 0 for none.
  init(caught error: any Error, signal: Int32) {
    switch error {
    case let report as ErrorReport: self = report
    case let error as RepositoryError:
      self.init(error)
      if error.code == .cancelled, signal != 0 { status = .signal(signal) }
    default: self.init(status: .failed, id: "internal", "\(error)")
    }
  }
}
