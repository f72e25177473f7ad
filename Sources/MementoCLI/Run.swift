// Runs one command line, from its bytes to its exit status. All errors become a report here.

import ArgumentParser
import MementoKit

/// Runs a command line, without the program name, and returns the exit status.
func run(arguments: [[UInt8]], context: CommandContext) -> Int32 {
  run(
    arguments: arguments, context: context, output: DescriptorOutput(context.standardOutput),
    errors: DescriptorOutput(context.standardError))
}

/// Runs a command line that writes to these outputs.
func run(
  arguments: [[UInt8]], context: CommandContext, output: DescriptorOutput, errors: DescriptorOutput
) -> Int32 {
  let line = CommandLineWords(arguments, commands: MementoCommand.commandNames, groups: MementoCommand.groups)
  var color = ColorChoice.auto
  var separate: DescriptorOutput?
  var status: ExitStatus
  do {
    switch try parse(line) {
    case .text(let text):
      try output.write(text)
      status = .done
    case .command(let command):
      color = command.global.color
      separate = command.separateDocument
      let session = try Session(context: context, options: command.global, output: output, errors: errors)
      status = try command.run(in: session)
    }
    try output.flush()
  } catch let error as OutputError {
    status = report(error, asJSON: line.asksForJSON, to: errors)
  } catch {
    // What was written before the failure is part of the output. An error of this flush would only hide the first
    // failure.
    try? output.flush()
    var failure = ErrorReport(caught: error, signal: context.receivedSignal())
    if line.command == RunCommand.configuration.commandName { failure = failure.ofRun }
    let style = Style(color, isTerminal: context.isErrorTerminal, variable: context.variable)
    switch (line.asksForJSON, failure.followsCommand) {
    case (false, _): errors.tell(failure.text(style: style))
    case (true, false): errors.tell(JSONText.line(ErrorDocument(failure)))
    case (true, true): errors.tellOnItsOwnLine(JSONText.line(ErrorDocument(failure)))
    }
    separate?.tell(JSONText.line(ErrorDocument(failure)))
    status = failure.status
  }
  try? errors.flush()  // no one is left to read an error
  return status.code
}

/// What the command line asks for.
private enum Request {
  case text(String)
  case command(any SessionCommand)
}

private func parse(_ line: CommandLineWords) throws -> Request {
  if let problem = line.problem { throw problem }
  // The argument parser would look at all commands first.
  if line.words == ["--version"] { return .text(MementoCommand.configuration.version + "\n") }
  if line.isBare {
    do {
      if let command = try OverviewCommand.parseAsRoot(line.words) as? any SessionCommand { return .command(command) }
    } catch {
      throw ErrorReport(usageMessage: OverviewCommand.message(for: error), command: nil)
    }
  }
  // `parseAsRoot` of the root command builds the descriptions of all commands, which takes time. If the command line is
  // right and asks for no help, the command alone parses to the same result.
  if let type = line.command.flatMap(MementoCommand.command(named:)),
    let command = try? type.parseAsRoot(Array(line.words.dropFirst())) as? any SessionCommand
  {
    return .command(command)
  }
  do {
    var command = try MementoCommand.parseAsRoot(line.words)
    if let command = command as? any SessionCommand { return .command(command) }
    // The root command and `help` throw their text.
    try command.run()
    return .text("")
  } catch {
    guard MementoCommand.exitCode(for: error).isSuccess else {
      throw ErrorReport(usageMessage: MementoCommand.message(for: error), command: line.topic)
    }
    return .text(HelpText.arranged(MementoCommand.fullMessage(for: error)) + "\n")
  }
}

/// Reports a failed write to standard output, but not a reader that has closed the pipe.
private func report(_ error: OutputError, asJSON: Bool, to errors: DescriptorOutput) -> ExitStatus {
  guard !error.isBrokenPipe else { return .failed }
  let failure = ErrorReport(
    status: .failed, id: RepositoryError.Code.system.description, "cannot write standard output: \(error.cause)")
  errors.tell(asJSON ? JSONText.line(ErrorDocument(failure)) : failure.text(style: .plain))
  return failure.status
}
