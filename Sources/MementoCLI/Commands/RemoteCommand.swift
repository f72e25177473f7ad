// memento remote

import ArgumentParser
import MementoKit

struct RemoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote",
    abstract: "Add, list, check and remove remotes, and their keys",
    discussion: """
      A remote is a second copy: file:///PATH (another disk, a network drive) or ssh://[USER@]HOST[:PORT]/PATH. What is put \
      there is encrypted, unless the remote is added with --plain. The passphrase comes from MEMENTO_PASSWORD_COMMAND, \
      MEMENTO_PASSWORD_FILE, MEMENTO_PASSWORD, or the terminal.

      A state of a remote is REMOTE/NAME wherever a snapshot is named. `memento list REMOTE/` lists them.
      """,
    subcommands: [
      RemoteListCommand.self, RemoteAddCommand.self, RemoteRemoveCommand.self, RemoteCheckCommand.self,
      RemoteKeyCommand.self,
    ],
    defaultSubcommand: RemoteListCommand.self)
}
