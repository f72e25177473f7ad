// The terminal while the browser has it: keys come one by one, and the screen is another one than that of the shell, which
// comes back afterwards as it was.

package import MementoSystem
import MementoText

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

package final class Terminal {
  /// The alternate screen without a cursor; what is pasted is marked as such; what is written behind the last column is
  /// dropped.
  private static let enterSequence = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?2004h\u{1B}[?7l\u{1B}[2J"
  private static let leaveSequence = "\u{1B}[0m\u{1B}[?7h\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l"

  private let input: Int32
  private let output: Int32
  /// What the shell had set; nil while the shell has the terminal.
  private var before: termios?

  package init(input: Int32, output: Int32) {
    self.input = input
    self.output = output
  }

  /// Takes the terminal. When it has been taken already, takes it again: whoever stopped this process has changed it.
  package func enter() throws(Errno) {
    var settings = termios()
    guard tcgetattr(input, &settings) == 0 else { throw Errno.current }
    let found = before ?? settings
    cfmakeraw(&settings)
    guard setAttributes(&settings) else { throw Errno.current }
    before = found
    TerminalRescue.arm(input: input, output: output, settings: found, sequence: Terminal.leaveSequence)
    try write(Array(Terminal.enterSequence.utf8))
  }

  /// Gives the terminal back. Does nothing when the shell has it.
  package func leave() {
    guard var settings = before else { return }
    before = nil
    // The terminal may be gone, and then nobody is left to see it.
    try? write(Array(Terminal.leaveSequence.utf8))
    _ = setAttributes(&settings)
    TerminalRescue.disarm()
  }

  private func setAttributes(_ settings: inout termios) -> Bool {
    // A signal may interrupt the wait for what is being written.
    while tcsetattr(input, TCSADRAIN, &settings) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  package var size: ScreenSize {
    var size = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return .standard }
    return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  package func write(_ bytes: [UInt8]) throws(Errno) {
    var done = 0
    while done < bytes.count {
      do throws(Errno) {
        done += try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in
          try StreamOutput(output).writeSome(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[done...]))
        }
      } catch {
        // Another program that shares the terminal may have made it non-blocking.
        guard error == .wouldBlock else { throw error }
        _ = try Readiness.wait(reading: nil, writing: output, seconds: 1)
      }
    }
  }

  /// What was typed; empty when the terminal is gone.
  package func read() throws(Errno) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      do throws(Errno) {
        let count = try buffer.withUnsafeMutableBufferPointer { (buffer) throws(Errno) in
          try StreamInput(input).read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        return Array(buffer[..<count])
      } catch {
        guard error == .wouldBlock else { throw error }
        _ = try Readiness.wait(reading: input, writing: nil, seconds: 1)
      }
    }
  }
}
