// The process as it was started: arguments, variables, terminals, and descriptors that may be missing.

import MementoKit
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum ProcessSetup {
  /// Opens /dev/null on 0, 1 and 2 where the caller closed them. Otherwise a file of the store would get such a number, and
  /// the next message would be written into it. It is opened the wrong way round, so that reading and writing still fail
  /// as they do on what is closed. Ends the program where nothing can be opened.
  static func reserveStandardDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      if open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) >= 0 { continue }
      // The root folder can be neither read nor written as a file.
      if open("/", O_RDONLY) < 0 { _exit(ExitStatus.failed.code) }
    }
  }

  /// Takes the owner's bits out of the mask of new files: a store that its owner cannot open is of no use.
  static func keepOwnFilesOpen() {
    let mask = umask(0o777)
    umask(mask & ~0o700)
  }

  /// The arguments after the program's name.
  static func words(_ all: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>) -> [[UInt8]] {
    all.dropFirst().compactMap { argument in argument.map(bytes) }
  }

  /// `ignoredSignals`: those that this program ignores and its caller did not.
  static func context(ignoredSignals: [Int32]) -> CommandContext {
    var context = CommandContext()
    context.ignoredSignals = ignoredSignals
    context.handlesSignals = true
    for name in [
      "MEMENTO_STORE", "MEMENTO_PAGER", "PAGER", "NO_COLOR", "TERM", "HOME", "SUDO_UID", "TMPDIR", "XDG_CONFIG_HOME",
    ] {
      if let value = getenv(name) { context.environment[name] = bytes(value) }
    }
    context.currentDirectory = Paths.currentDirectory()
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

  /// Seconds east of Greenwich at a time, by the zone of the process.
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
