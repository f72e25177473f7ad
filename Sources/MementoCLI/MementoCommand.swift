// The root of the command line: its help, its version and its commands.

import ArgumentParser

struct MementoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memento",
    abstract: "Named save points for any folder",
    usage: "memento [-C DIR] COMMAND [OPTIONS]",
    discussion: """
      `memento save before-upgrade` records the folder exactly as it is; `memento restore before-upgrade` puts it \
      back exactly, touching only what differs. Everything is kept in the hidden folder .memento.

      A snapshot is named by a state name, by 4 or more digits of its id, by @ (where the folder is), by @~2 (two \
      steps back), by NAME~1 (what NAME meant before), or by NAME@{2h} and @{2026-06-01 14:00} (at that time). \
      SNAPSHOT:PATH is a file or folder in it. REMOTE/NAME is a state of a remote: see memento help remote.

      Exit status: 0 done; 1 failed; 2 wrong usage; 3 done, but some files could not be read or written; 10 no store \
      here; 11 locked by another process; 12 no such state; 13 the store is damaged; 14 a restore was interrupted; \
      15 a remote cannot be reached; 130 or 143 ended by a signal.
      """,
    version: ProgramVersion.text,
    groupedSubcommands: [
      CommandGroup(
        name: "State",
        subcommands: [
          SaveCommand.self, RestoreCommand.self, RevertCommand.self, ListCommand.self, RenameCommand.self,
          DescribeCommand.self, DeleteCommand.self, PruneCommand.self, RunCommand.self,
          ForkCommand.self,
        ]),
      CommandGroup(
        name: "History",
        subcommands: [
          LogCommand.self, StatusCommand.self, DiffCommand.self, UndoCommand.self, RedoCommand.self, FindCommand.self,
          GrepCommand.self, WhenCommand.self, BisectCommand.self, BrowseCommand.self,
        ]),
      CommandGroup(name: "Content", subcommands: [ShowCommand.self, CatCommand.self, LsCommand.self]),
      CommandGroup(name: "Archive", subcommands: [ExportCommand.self, ImportCommand.self]),
      CommandGroup(
        name: "Remote",
        subcommands: [
          RemoteCommand.self, PushCommand.self, FetchCommand.self, PullCommand.self, CloneCommand.self,
        ]),
      CommandGroup(
        name: "Store",
        subcommands: [
          InitCommand.self, ConfigCommand.self, StatsCommand.self, GCCommand.self, PurgeCommand.self,
          VerifyCommand.self, CheckIgnoreCommand.self, MCPCommand.self, ServeCommand.self,
        ]),
    ])

  static var commandNames: [String] {
    configuration.subcommands.compactMap { $0.configuration.commandName }
  }

  /// The commands that have commands of their own, with these: `remote`, and `remote key`.
  static var groups: [String: [String]] {
    var groups: [String: [String]] = [:]
    var pending = configuration.subcommands.map { (path: "", command: $0) }
    while let (path, command) = pending.popLast() {
      let inner = command.configuration.subcommands
      guard !inner.isEmpty, let name = command.configuration.commandName else { continue }
      groups[path + name] = inner.compactMap { $0.configuration.commandName }
      pending += inner.map { (path + name + " ", $0) }
    }
    return groups
  }

  static func command(named name: String) -> (any ParsableCommand.Type)? {
    configuration.subcommands.first { $0.configuration.commandName == name }
  }
}
