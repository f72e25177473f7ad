// The form in which the user sees every failure: a message and a hint, or an object with --json.

import MementoKit
import MementoSystem

/// The reason why a command failed, ready to be printed.
struct ErrorReport: Error, Equatable, Sendable {
  var status: ExitStatus
  /// The code of the failure for programs. Most codes are those of the library.
  var id: String
  /// What failed and why, in one line.
  var message: String
  /// What the user can do about it, in one line.
  var advice: String?
  var path: BytePath?
  /// The single problems that caused the failure, one line each.
  var problems: [Problem] = []
  /// Whether `status` is the status that shells use for a command that could not be run, and not one of memento's own.
  var isCommandStatus = false
  /// Whether a command has run before. It may have left its last line without a line break.
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

  /// A failure that this program finds itself and for which the library has a code.
  init(_ code: RepositoryError.Code, _ message: String, advice: String? = nil, path: BytePath? = nil) {
    self.init(status: ExitStatus(code), id: code.description, message, advice: advice, path: path)
  }

  /// A command line that is wrong.
  static func usage(_ message: String, advice: String? = nil) -> ErrorReport {
    ErrorReport(status: .usage, id: "usage", message, advice: advice)
  }

  /// A failed system call on `path`.
  static func system(_ operation: String, _ path: BytePath, _ error: Errno) -> ErrorReport {
    ErrorReport(.system, "cannot \(operation) \(TerminalText.escaped(path)): \(error)", path: path)
  }

  /// A command that could not be run. The status is the one that shells use for this.
  static func cannotRun(_ command: BytePath, _ error: Errno) -> ErrorReport {
    var report = system("run", command, error)
    report.status = error == .notFound ? .commandNotFound : .commandNotRun
    report.isCommandStatus = true
    return report
  }
}

extension ErrorReport {
  /// The report for `memento run`. A failure of memento itself must not look like the status of the command, so it gets
  /// the status 125. An interruption keeps its status.
  var ofRun: ErrorReport {
    if isCommandStatus || id == RepositoryError.Code.cancelled.description { return self }
    var report = self
    report.status = .runFailed
    return report
  }

  /// The lines for people: the message, and below it the hint.
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
  /// A report of any error. `signal` is the signal that asked the program to end, or 0.
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
