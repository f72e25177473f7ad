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
    let pipe: Pipe
    do throws(Errno) { pipe = try Pipe() } catch { throw ErrorReport.system("run", name, error) }
    defer { close(pipe.writing) }
    do {
      process = try ChildProcess(words, output: pipe.writing, context: context)
    } catch {
      close(pipe.reading)
      throw ErrorReport.system("run", name, error)
    }
    output = pipe.reading
  }

  deinit {
    // Closed before the process is waited for: the process may be blocked writing to it.
    close(output)
  }

  /// Waits for the end of the command. Returns the failure in words; nil when it succeeded.
  func failure() -> String? {
    process.wait().failure
  }
}
