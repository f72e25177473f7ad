// Starts the programs that reach remotes: ssh, and the helpers of other engines.

import MementoKit
import MementoSystem
import Synchronization

final class RemoteConnector: Sendable {
  private let context: CommandContext
  /// The file of this program: helpers are beside it.
  private let program: BytePath?
  /// Why the last helper failed that did.
  private let failure = Mutex<HelperFailure?>(nil)

  init(context: CommandContext, program: BytePath? = HelperSearch.thisProgram()) {
    self.context = context
    self.program = program
  }

  /// Starts the helper for a URL.
  func connect(_ url: RemoteURL) throws(RepositoryError) -> RemoteConnection {
    let words = try words(for: url)
    let helper: HelperProcess
    do throws(Errno) {
      helper = try HelperProcess(words, context: context)
    } catch {
      if error == .notFound { throw RemoteConnector.missing(words[0], url) }
      throw RepositoryError(
        .unreachable, "cannot reach \(url): \(TerminalText.escaped(words[0])) cannot be started: \(error)")
    }
    var connection = RemoteConnection(answers: helper.answers, requests: helper.requests) { [self] in
      let ending = helper.finish()
      let found = HelperFailure(ending, isSSH: url.engine == .ssh, host: url.host ?? "")
      if ending.end != .exited(0) { failure.withLock { $0 = found } }
      return found.line
    }
    connection.abandon = { helper.abandon() }
    return connection
  }

  /// Starts the helper for a URL ahead of its use. Nil where ssh may ask somebody, and when it cannot be started: whoever uses
  /// it starts it then, and says why it cannot.
  func connectAhead(_ url: RemoteURL) -> RemoteConnection? {
    url.engine == .ssh && isInteractive ? nil : try? connect(url)
  }

  /// Whether somebody at a terminal can answer the questions of ssh.
  private var isInteractive: Bool { context.isInputTerminal && context.isErrorTerminal }

  private func words(for url: RemoteURL) throws(RepositoryError) -> [BytePath] {
    if url.engine == .ssh {
      return SSHCommand.words(url, isInteractive: isInteractive)
    }
    let name = HelperSearch.name(url.engine)
    guard
      let program = HelperSearch.find(
        name, beside: program, path: context.environment["PATH"])
    else { throw RemoteConnector.missing(BytePath(name), url) }
    return [program, BytePath(url.description)]
  }

  private static func missing(_ program: BytePath, _ url: RemoteURL) -> RepositoryError {
    let isOther = ![.file, .ssh, .s3].contains(url.engine)
    return RepositoryError(
      .unreachable,
      "cannot reach \(url): there is no program \(TerminalText.escaped(program))"
        + (isOther ? "; memento itself knows file, ssh and s3" : ""),
      reason: .missingProgram, path: program)
  }

  /// An error of the library with what the helpers have told beside the protocol.
  func explained(_ error: RepositoryError) -> RepositoryError {
    guard error.code == .unreachable || error.code == .remoteFailed, error.reason == nil,
      let failure = failure.withLock(\.self)
    else { return error }
    var error = error
    error.code = failure.code ?? error.code
    switch failure.code {
    case .untrusted?: error.message = error.message.replacing(" cannot be reached: ", with: " is not trusted: ")
    case .denied?: error.message = error.message.replacing(" cannot be reached: ", with: " denies access: ")
    default: break
    }
    error.reason = failure.reason
    error.path = failure.program ?? error.path
    return error
  }
}
