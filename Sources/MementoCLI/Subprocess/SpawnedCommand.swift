// A command whose output is recorded: started without a shell, its output a pipe.

import MementoKit

#if canImport(Glibc)
  @preconcurrency import Glibc
#elseif canImport(Darwin)
  @preconcurrency import Darwin
#endif

/// A running command. Ends with the descriptor closed and the process waited for, whatever happens.
final class SpawnedCommand {
  /// Where its output can be read.
  let output: Int32
  private let process: pid_t
  private var result: Int32?

  init(_ words: [BytePath], context: CommandContext) throws {
    let name = words[0]
    var pipe: [Int32] = [-1, -1]
    guard SpawnedCommand.openPipe(&pipe) else { throw ErrorReport.system("run", name, .last) }
    defer { close(pipe[1]) }
    do {
      process = try SpawnedCommand.spawn(words, output: pipe[1], context: context)
    } catch {
      close(pipe[0])
      throw ErrorReport.system("run", name, error)
    }
    output = pipe[0]
  }

  deinit {
    close(output)
    if result == nil { _ = waitForEnd() }
  }

  /// How it ended, in words; nil when it succeeded.
  func failure() -> String? {
    let status = waitForEnd()
    let signal = status & 0x7F
    if signal != 0 { return "it was ended by signal \(signal)" }
    let code = (status >> 8) & 0xFF
    return code == 0 ? nil : "it exited with status \(code)"
  }

  private func waitForEnd() -> Int32 {
    if let result { return result }
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1 && errno == EINTR {}
    result = status
    return status
  }

  /// A pipe that other commands, started meanwhile, do not hold open.
  private static func openPipe(_ ends: inout [Int32]) -> Bool {
    guard pipe(&ends) == 0 else { return false }
    return ends.allSatisfy { fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }
  }

  private static func spawn(
    _ words: [BytePath], output: Int32, context: CommandContext
  ) throws(SystemError) -> pid_t {
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #elseif canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, context.standardInput, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, context.standardError, 2)

    // What this program ignores for itself, the command must not inherit.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    sigaddset(&defaults, SIGXFSZ)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    var arguments = words.map { word in Paths.withCString(word) { strdup($0) } }
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)
    var process: pid_t = 0
    let code = Paths.withCString(words[0]) { posix_spawnp(&process, $0, &actions, &attributes, arguments, environ) }
    guard code == 0 else { throw SystemError(code: code) }
    return process
  }
}
