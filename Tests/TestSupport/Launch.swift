// Starts programs and records their output. A program that does not end in time is killed and reported as hung, so that
// no test waits for ever.

internal import MementoSystem

#if canImport(Glibc)
  @preconcurrency internal import Glibc
#elseif canImport(Darwin)
  @preconcurrency internal import Darwin
#endif

/// The result of a program.
package struct Launch: Sendable {
  /// Its exit status, or 128 + the number of the signal that ended it, as in shells; -1 when it hung.
  package let status: Int32
  package let outputBytes: [UInt8]
  package let errorBytes: [UInt8]

  package var output: String { String(decoding: outputBytes, as: UTF8.self) }
  package var errors: String { String(decoding: errorBytes, as: UTF8.self) }

  /// Runs a program to its end. `environment` is added to a minimal environment; nil removes a variable. After
  /// `seconds` the program is killed.
  package init(
    _ words: [String], in directory: String = "/", input: [UInt8] = [], environment: [String: String?] = [:],
    timeout seconds: Double = 300
  ) throws {
    let program = try RunningProgram(words, in: directory, input: input, environment: environment)
    self = try program.wait(timeout: seconds)
  }

  fileprivate init(status: Int32, output: [UInt8], errors: [UInt8]) {
    self.status = status
    outputBytes = output
    errorBytes = errors
  }
}

/// A program that is running.
package final class RunningProgram: Sendable {
  package let process: Int32
  private let output: ScratchFile
  private let errors: ScratchFile

  package init(
    _ words: [String], in directory: String = "/", input: [UInt8] = [], environment: [String: String?] = [:]
  ) throws {
    let standardInput = try ScratchFile(input)
    output = try ScratchFile()
    errors = try ScratchFile()
    var variables: [String: String?] = [
      "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/nonexistent",
      "LC_ALL": "C.UTF-8",
      "TZ": "UTC",
    ]
    variables.merge(environment) { $1 }
    process = try RunningProgram.spawn(
      words, directory, variables.compactMap { name, value in value.map { "\(name)=\($0)" } },
      standardInput.number, output.number, errors.number)
  }

  /// What it has written to standard error so far.
  package var errorsSoFar: String { (try? errors.contents()).map { String(decoding: $0, as: UTF8.self) } ?? "" }

  /// Sends a signal to the program only, not to the programs that it started.
  package func signal(_ number: Int32) {
    kill(process, number)
  }

  /// Waits until the program ends. After `seconds` it is killed, with everything it has started.
  package func wait(timeout seconds: Double = 300) throws -> Launch {
    var status: Int32 = 0
    var pause: UInt32 = 500
    var waited = 0.0
    while waitpid(process, &status, WNOHANG) == 0 {
      if waited > seconds {
        kill(-process, SIGKILL)
        waitpid(process, &status, 0)
        return Launch(status: -1, output: try output.contents(), errors: Array("it hung".utf8))
      }
      usleep(pause)
      waited += Double(pause) / 1e6
      pause = min(pause * 2, 10_000)
    }
    let signal = status & 0x7F
    return Launch(
      status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output: try output.contents(),
      errors: try errors.contents())
  }

  private static func spawn(
    _ words: [String], _ directory: String, _ variables: [String], _ input: Int32, _ output: Int32, _ errors: Int32
  ) throws -> Int32 {
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
    for (number, standard) in [(input, 0), (output, 1), (errors, 2)] as [(Int32, Int32)] {
      posix_spawn_file_actions_adddup2(&actions, number, standard)
    }
    // The program gets its own process group, so that the whole group can be killed. Signals that the test runner
    // ignores get their default action.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGPIPE, SIGXFSZ, SIGHUP, SIGINT, SIGTERM, SIGQUIT] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    // Threads of the test runner block signals. The program must get them.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    // The shell changes the directory and then becomes the program. No call for that exists on all systems.
    let words = ["/bin/sh", "-c", "cd -- \"$1\" && shift && exec \"$@\"", "sh", directory] + words
    var arguments = words.map { strdup($0) }
    var environment = variables.map { strdup($0) }
    defer { for text in arguments + environment { free(text) } }
    arguments.append(nil)
    environment.append(nil)
    var process: pid_t = 0
    let code = posix_spawn(&process, words[0], &actions, &attributes, arguments, environment)
    guard code == 0 else { throw Errno(code) }
    return process
  }
}

/// A temporary file without a name.
private final class ScratchFile: Sendable {
  let number: Int32

  init(_ bytes: [UInt8] = []) throws {
    var template = Array("/tmp/memento-test-XXXXXX".utf8CString)
    number = mkstemp(&template)
    guard number >= 0, fcntl(number, F_SETFD, FD_CLOEXEC) == 0 else { throw Errno.current }
    unlink(template)
    guard pwrite(number, bytes, bytes.count, 0) == bytes.count else { throw Errno.current }
  }

  deinit {
    close(number)
  }

  func contents() throws -> [UInt8] {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw Errno.current }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    guard pread(number, &bytes, bytes.count, 0) == bytes.count else { throw Errno.current }
    return bytes
  }
}
