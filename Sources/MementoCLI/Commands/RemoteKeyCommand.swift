// memento remote key, and its commands that change nothing or remove.

import ArgumentParser
import MementoKit

struct RemoteKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "List, add, change and remove the keys of a sealed remote",
    discussion: """
      Each key opens all that the remote holds: a passphrase, a key file or a recovery key. A new passphrase comes from \
      MEMENTO_NEW_PASSWORD_COMMAND, MEMENTO_NEW_PASSWORD_FILE, MEMENTO_NEW_PASSWORD, or the terminal. No data is sent anew.
      """,
    subcommands: [
      RemoteKeyListCommand.self, RemoteKeyAddCommand.self, RemoteKeyRemoveCommand.self, RemoteKeyChangeCommand.self,
    ],
    defaultSubcommand: RemoteKeyListCommand.self)
}

struct RemoteKeyListCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the keys of a remote",
    usage: "memento remote key list [REMOTE] [-z]",
    discussion: """
      Prints a line for each key: its id, what it is, when it was made, its label. * marks the one that opened the remote. \
      With -z, tabs separate the fields and NUL ends each record: id, kind, time, current or other, label.
      """)

  @Argument(help: ArgumentHelp("The remote (default: the only one, or that of the config)", valueName: "REMOTE"))
  var name: TextArgument?

  @OptionGroup var records: RecordOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    try records.validate(with: global)
  }

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository()
    let found = try session.reaching { access, monitor in
      try repository.remoteKeys(of: name?.text, access: access, monitor: monitor)
    }
    let text = RemoteKeyText(form: session.form)
    if session.options.json {
      try session.write(document: RemoteKeysDocument(found))
    } else if records.isNullSeparated {
      try session.write(NullRecords.bytes(text.records(found.keys)))
    } else {
      for line in text.lines(found.keys) { try session.write(line: line) }
      for problem in found.problems { session.note(TerminalText.escaped(problem)) }
    }
    return .done
  }
}

struct RemoteKeyRemoveCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a key of a remote",
    usage: "memento remote key remove REMOTE KEY [-n]",
    discussion: """
      The remote must be opened with another key, which shows that one stays that works. So the last one is never removed. \
      Who has read the remote with the key before may still have what it protects.
      """)

  @Argument(help: ArgumentHelp("The remote", valueName: "REMOTE"))
  var name: TextArgument

  @Argument(help: ArgumentHelp("4 or more digits of the id of the key", valueName: "KEY"))
  var key: TextArgument

  @Flag(name: [.customShort("n"), .long], help: "Print what would be done, and change nothing")
  var dryRun = false

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(toChange: .store)
    let change = try session.reaching { access, monitor in
      try repository.removeRemoteKey(key.text, from: name.text, isDryRun: dryRun, access: access, monitor: monitor)
    }
    try session.tell(change)
    return .done
  }
}

extension Session {
  /// Says what became of keys.
  func tell(_ change: RemoteKeyChange) throws {
    if options.json {
      try write(document: RemoteKeyDocument(change))
    } else {
      try say(RemoteKeyText(form: form).changed(change))
    }
  }
}
