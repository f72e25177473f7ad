// What the parser knows of the command line: the truth that man pages and completions are held against.

import ArgumentParser

@testable import MementoCLI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct CommandDefinitions: Sendable {
  struct Command: Sendable {
    let name: String
    /// `-n`, `--dry-run`; those of all commands included, `--help` excepted.
    let options: Set<String>
  }

  let commands: [Command]
  /// Options that every command has.
  let shared: Set<String>

  /// Read once: the parser takes a second to write them down.
  static let all = Result { try CommandDefinitions() }

  private init() throws {
    let json = try JSONDecoder().decode(JSONValue.self, from: Data(MementoCommand._dumpHelp().utf8))
    commands = json["command"]["subcommands"].list.compactMap { command in
      guard let name = command["commandName"].text, name != "help" else { return nil }
      // A command with commands of its own has their options; they share a page.
      var all: [JSONValue] = []
      var pending = [command]
      while let next = pending.popLast() {
        all.append(next)
        pending += next["subcommands"].list.filter { $0["commandName"].text != "help" }
      }
      return Command(name: name, options: Set(all.flatMap { $0["arguments"].list.flatMap(CommandDefinitions.names) }))
    }
    shared = commands.dropFirst().reduce(commands.first?.options ?? []) { $0.intersection($1.options) }
  }

  private static func names(of argument: JSONValue) -> [String] {
    argument["names"].list.compactMap { name in
      guard let text = name["name"].text, text != "help", text != "h" else { return nil }
      return name["kind"].text == "long" ? "--\(text)" : "-\(text)"
    }
  }
}
