// memento when

import ArgumentParser
import MementoKit

struct WhenCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "when",
    abstract: "Show when a text came and went",
    usage: "memento when TEXT [-- PATH...]",
    discussion: """
      Prints the first state that holds TEXT, whose change made it come, the last one, and the state after it, whose change \
      made it go; below them, the lines. When it went and came back, prints this for each time, newest first.

      Looks at all states of the folder that `memento log --all` knows, and reads each version of a file once. TEXT is taken \
      as it is: see memento grep for regular expressions.
      """)

  @Argument(help: ArgumentHelp("The text, or a part of a line", valueName: "TEXT"))
  var text: WordArgument

  @Argument(parsing: .postTerminator, help: ArgumentHelp("Only these files and folders", valueName: "PATH"))
  var paths: [PathArgument] = []

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository()
    let paths = try session.relativePaths(paths, in: repository)
    let report = try session.monitored { try repository.when(text.bytes, paths: paths, monitor: $0) }
    if session.options.json {
      try session.write(document: WhenDocument(report))
    } else {
      let text = WhenText(form: session.form)
      for line in text.lines(report) { try session.write(line + [UInt8(ascii: "\n")]) }
    }
    return session.searchStatus(report.problems, isFound: !report.periods.isEmpty)
  }
}
