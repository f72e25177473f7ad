// A command whose output is recorded: started without a shell, its output a pipe.

import MementoKit
import MementoSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A running command. Ends with the descriptor closed and the process waited for, whatever happens.
final class SpawnedCommand {
  /// Where its output can be read.
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
    // Before it is waited for: it may be writing.
    close(output)
  }

  /// How it ended, in words; nil when it succeeded.
  func failure() -> String? {
    process.wait().failure
  }

  /// A pipe that other commands, started meanwhile, do not hold open.
  private static func openPipe(_ ends: inout [Int32]) -> Bool {
    guard pipe(&ends) == 0 else { return false }
    return ends.allSatisfy { fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }
  }
}
