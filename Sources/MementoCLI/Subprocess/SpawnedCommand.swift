// A command whose output is recorded. It is started without a shell, and its output goes to a pipe.

import MementoKit
import MementoSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A running command. When the value is released, the descriptor is closed and the process is waited for.
final class SpawnedCommand {
  /// The descriptor to read the output from.
  let output: Int32
  private let process: ChildProcess

  init(_ words: [BytePath], context: CommandContext) throws {
    let name = words[0]
    var pipe: [Int32] = [-1, -1]
    guard SpawnedCommand.openPipe(&pipe) else { throw ErrorReport.system("run", name, .current) }
    defer { close(pipe[1]) }
    do {
      process = try ChildProcess(words, output: pipe[1], context: context)
    } catch {
      close(pipe[0])
      throw ErrorReport.system("run", name, error)
    }
    output = pipe[0]
  }

  deinit {
    // Closed before the process is waited for: the process may be blocked writing to it.
    close(output)
  }

  /// Waits for the end of the command. Returns the failure in words; nil when it succeeded.
  func failure() -> String? {
    process.wait().failure
  }

  /// A pipe whose ends are not inherited by other commands that are started meanwhile.
  private static func openPipe(_ ends: inout [Int32]) -> Bool {
    guard pipe(&ends) == 0 else { return false }
    return ends.allSatisfy { fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }
  }
}
