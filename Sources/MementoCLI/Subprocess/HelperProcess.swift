// A program that speaks with this one through its standard streams, until these are closed.

import MementoKit
import MementoSystem
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

final class HelperProcess: Sendable {
  /// How a helper ended, and what it had to say.
  struct Ending: Equatable, Sendable {
    var end: ProcessEnd
    /// The last lines of its standard error.
    var lines: [String]
  }

  /// How long a helper may take to end once its streams are closed, in seconds.
  private static let patience = 5.0

  /// Where its answers are read. The caller closes it.
  let answers: Int32
  /// Where requests are written. The caller closes it; the helper ends then.
  let requests: Int32
  private let child: Mutex<ChildProcess>
  private let errors: ErrorTail

  init(_ words: [BytePath], context: CommandContext) throws(Errno) {
    let input = try Pipe()
    let output: Pipe
    let complaints: Pipe
    do throws(Errno) {
      output = try Pipe()
    } catch {
      input.close()
      throw error
    }
    do throws(Errno) {
      complaints = try Pipe()
    } catch {
      input.close()
      output.close()
      throw error
    }
    var context = context
    context.standardInput = input.reading
    context.standardError = complaints.writing
    do throws(Errno) {
      child = Mutex(try ChildProcess(words, output: output.writing, hidesPasswords: true, context: context))
    } catch {
      for pipe in [input, output, complaints] { pipe.close() }
      throw error
    }
    input.closeReading()
    output.closeWriting()
    complaints.closeWriting()
    answers = output.reading
    requests = input.writing
    errors = ErrorTail(reading: complaints.reading)
  }

  /// Ends it: nothing was asked of it.
  func abandon() {
    child.withLock { child in _ = kill(child.id, SIGTERM) }
  }

  /// Waits for its end, after both descriptors were closed. One that does not end is ended.
  func finish() -> Ending {
    let end = child.withLock { child in
      if let end = child.wait(atMost: HelperProcess.patience) { return end }
      kill(child.id, SIGTERM)
      if let end = child.wait(atMost: HelperProcess.patience / 5) { return end }
      kill(child.id, SIGKILL)
      return child.wait()
    }
    return Ending(end: end, lines: errors.lines())
  }
}
