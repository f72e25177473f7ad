// Records the output of a command as a value. When the command fails, nothing is recorded.

import MementoKit

struct CommandRecording {
  let words: [BytePath]
  let session: Session

  func save(to repository: Repository, as name: String, _ options: ValueOptions) throws -> SaveSummary {
    // -C also applies to the command.
    if session.directory != session.context.currentDirectory {
      try session.context.enterDirectory(session.directory)
    }
    let command = try SpawnedCommand(words, context: session.context)
    var failure: ErrorReport?
    do {
      return try repository.saveValue(readingFrom: command.output, as: name, options) { () throws(RepositoryError) in
        guard let reason = command.failure() else { return }
        failure = ErrorReport(
          status: .failed, id: "command-failed",
          "nothing is recorded of \(TerminalText.escaped(words[0])): \(reason)")
        throw RepositoryError(.system, reason)
      }
    } catch {
      throw failure ?? error
    }
  }
}
