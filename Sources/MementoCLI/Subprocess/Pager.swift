// The program that shows long output a screen at a time. It reads a pipe that this program writes, and has the terminal to
// itself until it ends.

import MementoKit

#if canImport(Glibc)
  @preconcurrency import Glibc
#elseif canImport(Darwin)
  @preconcurrency import Darwin
#endif

/// A running pager.
final class Pager {
  /// Where to write what it shows.
  let input: Int32
  private let process: pid_t
  private var isFinished = false

  /// The command line of the pager that the user wants; nil for none.
  static func command(_ context: CommandContext) -> [UInt8]? {
    guard context.isOutputTerminal else { return nil }
    let chosen = context.environment["MEMENTO_PAGER"] ?? context.environment["PAGER"]
    if let chosen {
      let words = chosen.split(separator: UInt8(ascii: " "))
      return words.isEmpty || (words.count == 1 && words[0].elementsEqual("cat".utf8)) ? nil : chosen
    }
    return context.variable("TERM") ?? "dumb" == "dumb" ? nil : Array("less -FRX".utf8)
  }

  /// Starts a pager; nil when it cannot be started.
  init?(_ command: [UInt8], context: CommandContext) {
    var pipe: [Int32] = [-1, -1]
    guard Pager.openPipe(&pipe) else { return nil }
    defer { close(pipe[0]) }
    guard let process = Pager.spawn(Pager.words(of: command), input: pipe[0], context: context) else {
      close(pipe[1])
      return nil
    }
    self.process = process
    input = pipe[1]
  }

  deinit {
    _ = finish()
  }

  /// Says that there is no more, and waits until the user has seen it. False when a shell could not start the pager.
  func finish() -> Bool {
    if isFinished { return true }
    isFinished = true
    close(input)
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1 && errno == EINTR {}
    let code = (status >> 8) & 0xFF
    return status & 0x7F != 0 || (code != 126 && code != 127)
  }

  /// A plain command is started as it stands; what a shell has to read, by a shell.
  private static func words(of command: [UInt8]) -> [BytePath] {
    let needsShell = command.contains { "|&;<>()$`\\\"'\t\n*?[#~=%{!".utf8.contains($0) }
    if needsShell { return [BytePath("/bin/sh"), BytePath("-c"), BytePath(command)] }
    return command.split(separator: UInt8(ascii: " ")).map { BytePath($0) }
  }

  private static func openPipe(_ ends: inout [Int32]) -> Bool {
    guard pipe(&ends) == 0 else { return false }
    return ends.allSatisfy { fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }
  }

  private static func spawn(_ words: [BytePath], input: Int32, context: CommandContext) -> pid_t? {
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
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, context.standardOutput, 1)
    posix_spawn_file_actions_adddup2(&actions, context.standardError, 2)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    sigaddset(&defaults, SIGXFSZ)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    var arguments = words.map { word in Paths.withCString(word) { strdup($0) } }
    // As git does: `PAGER=less` alone would show the codes of colours instead of colours.
    let addition = getenv("LESS") == nil ? strdup("LESS=FRX") : nil
    defer {
      for argument in arguments { free(argument) }
      free(addition)
    }
    arguments.append(nil)
    var variables: [UnsafeMutablePointer<CChar>?] = []
    var place = environ
    while let variable = place.pointee {
      variables.append(variable)
      place += 1
    }
    variables += addition == nil ? [nil] : [addition, nil]
    var process: pid_t = 0
    let code = Paths.withCString(words[0]) {
      posix_spawnp(&process, $0, &actions, &attributes, arguments, variables)
    }
    return code == 0 ? process : nil
  }
}
