// Why a helper failed, from how it ended and what it said.

import MementoKit

struct HelperFailure: Equatable, Sendable {
  /// One line: the last lines of the helper that say something; nil when there are none.
  var line: String?
  /// What kind of failure it is; nil when the helper does not tell.
  var code: RepositoryError.Code?
  var reason: RepositoryError.Reason?
  /// The program that is missing.
  var program: BytePath?

  /// How many lines of a helper are relayed.
  private static let mostLines = 3
  /// In characters.
  private static let longest = 400

  /// `isSSH`: it was ssh, which speaks in its own words. `host`: the other machine.
  init(_ ending: HelperProcess.Ending, isSSH: Bool, host: String) {
    let lines = ending.lines.map { $0.trimmed }.filter(HelperFailure.saysSomething)
    if !lines.isEmpty {
      let text = lines.suffix(HelperFailure.mostLines).map(HelperFailure.asPhrase).joined(separator: "; ")
      line = TerminalText.escaped(String(text.prefix(HelperFailure.longest)))
    }
    guard isSSH else {
      if line == nil { line = ending.end.failure }
      return
    }
    // 127: the shell there does not know the command.
    if ending.end == .exited(127) {
      line = "there is no memento on \(host)"
      (code, reason, program) = (.unreachable, .missingProgram, "memento")
    } else if lines.contains(where: HelperFailure.isAboutHostKey) {
      code = .untrusted
    } else if lines.contains(where: HelperFailure.isAboutLogin) {
      code = .denied
    }
  }

  private static func isAboutHostKey(_ line: String) -> Bool {
    line.contains("Host key verification failed") || line.contains("host key is known for")
      || line.contains("HOST IDENTIFICATION HAS CHANGED")
  }

  private static func isAboutLogin(_ line: String) -> Bool {
    line.contains(": Permission denied (") || line.contains("Too many authentication failures")
      || line.hasPrefix("Permission denied (")
  }

  /// Leaves out frames, notes that come with every connection, advice for another program's user, and the command that forgets
  /// a host key: who reads that first, types it.
  private static func saysSomething(_ line: String) -> Bool {
    line.contains(where: \.isLetter) && !line.hasPrefix("@") && !line.hasPrefix("** ") && !line.hasPrefix("hint: ")
      && !line.hasPrefix("Warning: Permanently added ") && !line.hasPrefix("ssh-keygen -f")
      && !line.hasPrefix("remove with:")
  }

  private static func asPhrase(_ line: String) -> String {
    let text = line.hasPrefix("memento: ") ? String(line.dropFirst(9)) : line
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}

extension String {
  fileprivate var trimmed: String {
    let start = drop(while: \.isWhitespace)
    return String(start.prefix(start.count - start.reversed().prefix(while: \.isWhitespace).count))
  }
}
