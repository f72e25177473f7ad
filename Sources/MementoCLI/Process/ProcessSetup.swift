// Reads what the process was started with: arguments, variables, terminals. Opens standard descriptors that are
// missing.

import MementoKit
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum ProcessSetup {
  /// Opens /dev/null as 0, 1 and 2 where the caller has closed them. Otherwise a file of the store would get such a
  /// number, and the next message would be written into it. The descriptors are opened for the opposite direction, so
  /// that reading and writing still fail as on a closed descriptor. Ends the program when nothing can be opened.
  static func reserveStandardDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      if open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) >= 0 { continue }
      // Without /dev/null, the root folder is used: it cannot be read or written like a file.
      if open("/", O_RDONLY) < 0 { _exit(ExitStatus.failed.code) }
    }
  }

  /// Removes the owner's bits from the umask: a store that its owner cannot open is useless.
  static func keepOwnFilesOpen() {
    let mask = umask(0o777)
    umask(mask & ~0o700)
  }

  /// The arguments without the program name.
  static func words(_ all: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>) -> [[UInt8]] {
    all.dropFirst().compactMap { argument in argument.map(bytes) }
  }

  /// The context of this process. `ignoredSignals` are the signals that this program ignores and its caller did not.
  static func context(ignoredSignals: [Int32]) -> CommandContext {
    var context = CommandContext()
    context.ignoredSignals = ignoredSignals
    context.handlesSignals = true
    for name in [
      "MEMENTO_STORE", "MEMENTO_PAGER", "PAGER", "NO_COLOR", "TERM", "HOME", "SUDO_UID", "TMPDIR", "XDG_CONFIG_HOME",
      "PATH", "MEMENTO_PASSWORD", "MEMENTO_PASSWORD_FILE", "MEMENTO_PASSWORD_COMMAND", "MEMENTO_KEY_FILE",
      "MEMENTO_RECOVERY_KEY_FILE", "MEMENTO_NEW_PASSWORD", "MEMENTO_NEW_PASSWORD_FILE", "MEMENTO_NEW_PASSWORD_COMMAND",
      "LC_ALL", "LC_CTYPE", "LANG", "VISUAL", "EDITOR",
    ] {
      if let value = getenv(name) { context.environment[name] = bytes(value) }
    }
    context.currentDirectory = Paths.currentDirectory()
    context.isInputTerminal = isatty(0) == 1
    context.isOutputTerminal = isatty(1) == 1
    context.isErrorTerminal = isatty(2) == 1
    context.isRoot = geteuid() == 0
    context.zoneOffset = zoneOffset
    context.enterDirectory = Paths.enter
    context.terminalWidth = terminalWidth()
    context.catchSignals = Signals.catchEndings
    context.holdInterrupts = Signals.holdInterrupts
    context.receivedSignal = { Signals.received.load(ordering: .relaxed) }
    return context
  }

  /// The offset of the process's time zone in seconds east of UTC, at a time in seconds since 1970.
  @Sendable private static func zoneOffset(_ seconds: Int64) -> Int {
    var time = time_t(seconds)
    var parts = tm()
    return localtime_r(&time, &parts) == nil ? 0 : Int(parts.tm_gmtoff)
  }

  private static func terminalWidth() -> Int? {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  private static func bytes(_ text: UnsafeMutablePointer<CChar>) -> [UInt8] {
    UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
  }
}
