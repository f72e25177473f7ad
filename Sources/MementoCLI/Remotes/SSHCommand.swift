// The command line that reaches a remote with ssh.

import MementoKit

enum SSHCommand {
  /// Seconds. ssh then says what it waited for, before the other side of the protocol gives up after 30.
  private static let patience = 25

  /// `isInteractive`: somebody at a terminal can answer the questions of ssh.
  static func words(_ url: RemoteURL, isInteractive: Bool) -> [BytePath] {
    var words = ["ssh", "-T", "-o", "ConnectTimeout=\(patience)"]
    if !isInteractive { words += ["-o", "BatchMode=yes"] }
    if let port = url.port { words += ["-p", "\(port)"] }
    if let user = url.user { words += ["-l", user] }
    // What follows is no option, whatever it begins with.
    words += ["--", url.host ?? ""]
    return words.map { BytePath($0) } + [remoteCommand(url.path)]
  }

  /// What the shell of the other machine runs.
  static func remoteCommand(_ path: BytePath) -> BytePath {
    BytePath(Array("memento serve --stdio ".utf8) + quoted(path.bytes))
  }

  /// One word for a POSIX shell, whatever the bytes are.
  static func quoted(_ bytes: [UInt8]) -> [UInt8] {
    let quote = UInt8(ascii: "'")
    let parts = bytes.split(separator: quote, omittingEmptySubsequences: false)
    return [quote] + Array(parts.joined(separator: Array("'\\''".utf8))) + [quote]
  }
}
