// A program that this one starts, without a shell and in the same process group. It is always waited for.

import MementoKit
import MementoSystem
import Synchronization

#if canImport(Glibc)
  @preconcurrency import Glibc
#elseif canImport(Darwin)
  @preconcurrency import Darwin
#endif

/// How a process ended.
enum ProcessEnd: Equatable, Sendable {
  case exited(Int32)
  case signalled(Int32)

  /// The exit status, or 128 + the number of the signal, as in shells.
  var status: Int32 {
    switch self {
    case .exited(let code): code
    case .signalled(let number): 128 + number
    }
  }

  /// The signal that ended it; nil when it exited.
  var signal: Int32? {
    if case .signalled(let number) = self { return number }
    return nil
  }

  /// The failure in words; nil when it succeeded.
  var failure: String? {
    switch self {
    case .exited(0): nil
    case .exited(let code): "it exited with status \(code)"
    case .signalled(let number): "it was ended by signal \(number)"
    }
  }
}

final class ChildProcess {
  /// A change of a running process.
  enum Change {
    /// Stopped by this signal. It may continue later.
    case stopped(Int32)
    case ended
  }

  /// Held while a program is started, and while a pipe is made that it must not inherit.
  static let starts = Mutex<Void>(())

  let id: pid_t
  private var end: ProcessEnd?

  /// Starts the program `words[0]`, which is searched in PATH, with the other words as its arguments. `output` is the
  /// descriptor that becomes its standard output; standard input and error are those of the context. `variables` are
  /// added to its environment, as `NAME=value`. With `hidesPasswords` it does not inherit the passphrases in this one.
  /// `directory`: where it starts, an absolute path; nil for the current directory.
  init(
    _ words: [BytePath], output: Int32, in directory: BytePath? = nil, variables: [String] = [],
    hidesPasswords: Bool = false, context: CommandContext
  ) throws(Errno) {
    let environment = ChildProcess.environment(
      adding: variables, hidesPasswords: hidesPasswords, hidesDirectory: directory != nil)
    defer { for text in environment { free(text) } }
    do throws(Errno) {
      id = try ChildProcess.spawn(words[0], words, output, directory, environment, context)
    } catch {
      // The kernel refuses a script without a `#!` line. Shells run such a script themselves.
      guard error.code == ENOEXEC, let script = ChildProcess.search(words[0]) else { throw error }
      id = try ChildProcess.spawn(
        BytePath("/bin/sh"), [BytePath("sh"), script] + words.dropFirst(), output, directory, environment, context)
    }
  }

  deinit { _ = wait() }

  /// Waits until the process has ended.
  func wait() -> ProcessEnd {
    if let end { return end }
    var status: Int32 = 0
    while waitpid(id, &status, 0) == -1 && errno == EINTR {}
    let signal = status & 0x7F
    let end: ProcessEnd = signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    self.end = end
    return end
  }

  /// Waits for the end, but no longer than so many seconds. Nil when the process is still there.
  func wait(atMost seconds: Double) -> ProcessEnd? {
    let start = Clock.monotonicSeconds()
    var pause: UInt32 = 500
    while true {
      var info = siginfo_t()
      let isLeft = waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo == 0
      if !isLeft { return wait() }
      if Clock.monotonicSeconds() - start >= seconds { return nil }
      usleep(pause)
      pause = min(pause * 2, 20_000)
    }
  }

  /// Waits until the process stops or ends. After its end no other process gets its number before `wait` is called.
  func nextChange() -> Change {
    while true {
      var info = siginfo_t()
      if waitid(P_PID, id_t(id), &info, WEXITED | WSTOPPED | WNOWAIT) == -1 {
        if errno == EINTR { continue }
        return .ended
      }
      guard info.si_code == Int32(CLD_STOPPED) else { return .ended }
      // Takes note of the stop only. The process may have continued and ended since.
      info = siginfo_t()
      if waitid(P_PID, id_t(id), &info, WSTOPPED | WNOHANG) == 0, info.si_code == Int32(CLD_STOPPED) {
        return .stopped(info.childStatus)
      }
    }
  }

  private static func spawn(
    _ program: BytePath, _ words: [BytePath], _ output: Int32, _ directory: BytePath?,
    _ environment: [UnsafeMutablePointer<CChar>?], _ context: CommandContext
  ) throws(Errno) -> pid_t {
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
    if let directory {
      let code = Paths.withCString(directory) { addWorkingDirectory(&actions, $0) }
      guard code == 0 else { throw Errno(code) }
    }

    // The child must not inherit that this program ignores a signal. It must inherit that the caller ignores one.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in context.ignoredSignals { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    var arguments = words.map { word in Paths.withCString(word) { strdup($0) } }
    defer { for text in arguments { free(text) } }
    arguments.append(nil)
    var process: pid_t = 0
    let code = Paths.withCString(program) { program in
      starts.withLock { _ in posix_spawnp(&process, program, &actions, &attributes, arguments, environment) }
    }
    guard code == 0 else { throw Errno(code) }
    return process
  }

  /// A copy of the environment as C wants it. The caller frees what it holds.
  /// With `hidesDirectory` it does not say what the current directory is.
  private static func environment(
    adding variables: [String], hidesPasswords: Bool, hidesDirectory: Bool
  ) -> [UnsafeMutablePointer<CChar>?] {
    var environment = variables.map { strdup($0) }
    var place = environ
    while let variable = place.pointee {
      let isPassword =
        strncmp(variable, "MEMENTO_PASSWORD", 16) == 0 || strncmp(variable, "MEMENTO_NEW_PASSWORD", 20) == 0
      let isDirectory = strncmp(variable, "PWD=", 4) == 0 || strncmp(variable, "OLDPWD=", 7) == 0
      if !(isPassword && hidesPasswords || isDirectory && hidesDirectory) { environment.append(strdup(variable)) }
      place += 1
    }
    return environment + [nil]
  }

  /// The file of a command name, found in PATH; nil when there is none.
  static func search(_ name: BytePath) -> BytePath? {
    if name.bytes.contains(UInt8(ascii: "/")) { return name }
    guard let path = getenv("PATH") else { return nil }
    let bytes = UnsafeBufferPointer(start: path, count: strlen(path)).map { UInt8(bitPattern: $0) }
    return bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).lazy
      .map { $0.isEmpty ? BytePath("./").appending(name.bytes) : BytePath(Array($0)).appending(name.bytes) }
      .first { Paths.withCString($0) { access($0, X_OK) } == 0 }
  }
}

#if canImport(Glibc)
  /// Of glibc 2.29 and later, which declares it only with _GNU_SOURCE.
  @_silgen_name("posix_spawn_file_actions_addchdir_np")
  private func addWorkingDirectory(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ path: UnsafePointer<CChar>
  ) -> Int32
#else
  private func addWorkingDirectory(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>, _ path: UnsafePointer<CChar>
  ) -> Int32 {
    posix_spawn_file_actions_addchdir_np(actions, path)
  }
#endif

extension siginfo_t {
  /// The signal that stopped the child.
  fileprivate var childStatus: Int32 {
    #if canImport(Glibc)
      _sifields._sigchld.si_status
    #elseif canImport(Darwin)
      si_status
    #endif
  }
}
