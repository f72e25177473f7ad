// Runs a program on its own terminal, as the leader of a session. Typed text reaches it through the kernel, which turns
// Ctrl-C and Ctrl-Z into signals.

internal import MementoSystem

#if canImport(Glibc)
  @preconcurrency internal import Glibc
#elseif canImport(Darwin)
  @preconcurrency internal import Darwin
#endif

package final class PseudoTerminal {
  private var terminal: Int32
  private let process: pid_t
  /// The output that `expect` has not returned yet.
  private var shown: [UInt8] = []

  /// Starts a program in a directory, with its standard streams on the terminal.
  package init(_ words: [String], in directory: String, environment: [String: String] = [:]) throws {
    terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { throw Errno.current }
    do {
      process = try PseudoTerminal.spawn(words, directory, environment, terminal: PseudoTerminal.name(of: terminal))
    } catch {
      close(terminal)
      throw error
    }
  }

  /// The path of the terminal on which the program runs.
  private static func name(of terminal: Int32) throws -> String {
    #if canImport(Glibc)
      // Swift cannot import the POSIX calls for this. These calls are what they do.
      let unlock: UInt = 0x4004_5431  // TIOCSPTLCK
      let getNumber: UInt = 0x8004_5430  // TIOCGPTN
      var number: Int32 = 0
      guard ioctl(terminal, unlock, &number) == 0, ioctl(terminal, getNumber, &number) == 0 else { throw Errno.current }
      return "/dev/pts/\(number)"
    #else
      guard grantpt(terminal) == 0, unlockpt(terminal) == 0, let name = ptsname(terminal) else { throw Errno.current }
      return String(cString: name)
    #endif
  }

  #if canImport(Glibc)
    private static let newSession: Int16 = 0x80  // POSIX_SPAWN_SETSID
  #else
    private static let newSession = Int16(POSIX_SPAWN_SETSID)
  #endif

  deinit {
    hangUp()
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  /// Closes the terminal.
  package func hangUp() {
    if terminal >= 0 { close(terminal) }
    terminal = -1
  }

  /// Types a text.
  package func type(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard write(terminal, bytes, bytes.count) == bytes.count else { throw Errno.current }
  }

  /// Whether the program has ended.
  package var hasEnded: Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_code != 0
  }

  /// Types a line.
  package func enter(_ line: String) throws {
    try type(line + "\n")
  }

  /// Waits until `text` is shown. Returns everything that was shown since the last call. If `text` does not come in
  /// time, throws what was shown instead.
  @discardableResult
  package func expect(_ text: String, within seconds: Double = 120) throws -> String {
    let wanted = Array(text.utf8)
    let deadline = Clock.monotonicSeconds() + seconds
    while true {
      if let end = PseudoTerminal.end(of: wanted, in: shown) {
        let seen = String(decoding: shown[..<end], as: UTF8.self)
        shown.removeFirst(end)
        return seen
      }
      var ready = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
      poll(&ready, 1, 100)
      if ready.revents & Int16(POLLIN) != 0 {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(terminal, &buffer, buffer.count)
        if count > 0 { shown += buffer[..<count] }
      }
      if Clock.monotonicSeconds() > deadline {
        throw NotShown(text: text, shown: String(decoding: shown, as: UTF8.self))
      }
    }
  }

  package struct NotShown: Error {
    package let text: String
    package let shown: String
  }

  private static func end(of part: [UInt8], in whole: [UInt8]) -> Int? {
    guard part.count <= whole.count else { return nil }
    for start in 0...(whole.count - part.count) where whole[start..<(start + part.count)].elementsEqual(part) {
      return start + part.count
    }
    return nil
  }

  private static func spawn(
    _ words: [String], _ directory: String, _ variables: [String: String], terminal: String
  ) throws -> pid_t {
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
    // The first terminal that the leader of a new session opens becomes its controlling terminal.
    posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGPIPE, SIGXFSZ, SIGHUP, SIGINT, SIGTERM, SIGQUIT] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | newSession)
    let words = ["/bin/sh", "-c", "cd -- \"$1\" && shift && exec \"$@\"", "sh", directory] + words
    let environment = [
      "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/nonexistent",
      "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb",
    ].merging(variables) { $1 }
    var arguments = words.map { strdup($0) } + [nil]
    var list = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + list { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, words[0], &actions, &attributes, &arguments, &list)
    guard code == 0 else { throw Errno(code) }
    return process
  }
}
