// A command line in a variable of the environment, such as MEMENTO_PAGER.

import MementoKit

enum CommandText {
  /// The words to start. A plain command is started directly. A command with shell syntax is started by a shell.
  static func words(of command: [UInt8]) -> [BytePath] {
    let needsShell = command.contains { "|&;<>()$`\\\"'\t\n*?[#~=%{!".utf8.contains($0) }
    if needsShell { return [BytePath("/bin/sh"), BytePath("-c"), BytePath(command)] }
    return command.split(separator: UInt8(ascii: " ")).map { BytePath($0) }
  }
}
