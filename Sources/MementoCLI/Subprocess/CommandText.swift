// A command line in a variable of the environment, such as MEMENTO_PAGER.

import MementoKit

enum CommandText {
  /// The words to start. A plain command is started directly. A command with shell syntax is started by a shell. `file`: one
  /// more word at the end, which no shell changes.
  static func words(of command: [UInt8], file: BytePath? = nil) -> [BytePath] {
    let needsShell = command.contains { "|&;<>()$`\\\"'\t\n*?[#~=%{!".utf8.contains($0) }
    if needsShell {
      let shell = [BytePath("/bin/sh"), BytePath("-c")]
      // The shell takes the word after the command as its own name.
      return shell + (file.map { [BytePath(command + " \"$@\"".utf8), BytePath("sh"), $0] } ?? [BytePath(command)])
    }
    return command.split(separator: UInt8(ascii: " ")).map { BytePath($0) } + (file.map { [$0] } ?? [])
  }
}
