// Asks the user: before something that cannot be taken back, and for passphrases.

import MementoKit
import MementoSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Session {
  /// Whether somebody can be asked: there is a terminal to ask on and one to read from, and the output is for people.
  var canAsk: Bool { context.isInputTerminal && context.isErrorTerminal && !options.json }

  /// Asks a question. Anything but yes is no.
  func confirms(_ question: String) throws -> Bool {
    try ask("\(question) [y/N] ")
    let answer = String(decoding: try readLine(), as: UTF8.self).lowercased()
    return ["y", "yes"].contains(answer)
  }

  /// Asks for something that is not shown while it is typed.
  func readHidden(_ question: String) throws -> [UInt8] {
    // An interruption must not leave a terminal that shows nothing.
    context.catchSignals()
    var before = termios()
    guard tcgetattr(context.standardInput, &before) == 0 else {
      throw ErrorReport(.system, "cannot read from the terminal: \(Errno.current)")
    }
    var hidden = before
    hidden.c_lflag &= ~tcflag_t(ECHO)
    hidden.c_lflag |= tcflag_t(ECHONL)
    guard tcsetattr(context.standardInput, TCSAFLUSH, &hidden) == 0 else {
      throw ErrorReport(.system, "cannot hide what is typed: \(Errno.current)")
    }
    defer { tcsetattr(context.standardInput, TCSAFLUSH, &before) }
    try ask(question)
    return try readLine()
  }

  /// A line of standard input, without its end. Empty also at the end of the input.
  func readLine() throws -> [UInt8] {
    try readNextLine() ?? []
  }

  /// A line of standard input, without its end; nil at the end of the input. Byte by byte: what comes after the line is not
  /// for this program.
  func readNextLine() throws -> [UInt8]? {
    var line: [UInt8] = []
    while line.count < 1 << 10 {
      try waitForInput()
      var byte: UInt8 = 0
      let count: Int
      do throws(Errno) {
        count = try withUnsafeMutableBytes(of: &byte) { (buffer) throws(Errno) in
          try StreamInput(context.standardInput).read(into: buffer)
        }
      } catch {
        throw ErrorReport(.system, "cannot read the answer: \(error)")
      }
      if count == 0, line.isEmpty { return nil }
      if count == 0 || byte == UInt8(ascii: "\n") { break }
      line.append(byte)
    }
    return line
  }

  /// Returns when there is something to read. The plan has begun to catch signals, so one that comes now is looked for.
  private func waitForInput() throws {
    var input = pollfd(fd: context.standardInput, events: Int16(POLLIN), revents: 0)
    while poll(&input, 1, 100) <= 0 {
      let signal = context.receivedSignal()
      if signal == 0 { continue }
      throw ErrorReport(
        status: .signal(signal), id: RepositoryError.Code.cancelled.description, "nothing was changed")
    }
  }
}
