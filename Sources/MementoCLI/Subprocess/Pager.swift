// The program that shows long output a screen at a time. It reads from a pipe that this program writes to. Until it
// ends, only the pager uses the terminal.

import MementoKit
import MementoSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A running pager.
final class Pager {
  /// The descriptor to write the output to.
  let input: Int32
  private let process: ChildProcess
  private var isFinished = false

  /// The command line of the pager that the user wants; nil when the output is not paged.
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
    guard let pipe = try? Pipe() else { return nil }  // the output is not paged then
    defer { close(pipe.reading) }
    var context = context
    context.standardInput = pipe.reading
    // As in git: with `PAGER=less` alone, less would show the escape codes of colours.
    let variables = getenv("LESS") == nil ? ["LESS=FRX"] : []
    do throws(Errno) {
      process = try ChildProcess(
        CommandText.words(of: command), output: context.standardOutput, variables: variables, context: context)
    } catch {
      close(pipe.writing)
      return nil
    }
    input = pipe.writing
  }

  deinit {
    _ = finish()
  }

  /// Closes the input and waits until the user has left the pager. Returns false when a shell could not start the
  /// pager.
  func finish() -> Bool {
    if isFinished { return true }
    isFinished = true
    close(input)
    let end = process.wait()
    return end != .exited(126) && end != .exited(127)
  }
}
