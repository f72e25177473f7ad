// memento find

import ArgumentParser
import MementoKit

struct FindCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Show in which states a name occurs",
    usage: "memento find PATTERN",
    discussion: """
      Looks at all states that `memento log --all` knows, also unnamed and deleted ones. Below each path that matches there \
      is a line for each run of states in which it was the same: the newest, the oldest, and how many there are.

      PATTERN has the wildcards of .gitignore. Without a slash it matches a name at any depth; with one, a whole path from \
      the folder that is saved; with one at the end, only folders. Quote it: memento find '*.c'
      """)

  @Argument(help: ArgumentHelp("The name, or a pattern", valueName: "PATTERN"))
  var pattern: WordArgument

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository()
    let report = try session.monitored { try repository.find(pattern.bytes, monitor: $0) }
    if session.options.json {
      try session.write(document: FindDocument(report))
    } else if !report.paths.isEmpty {
      let text = FindText(form: session.form)
      try session.paged { session in
        for path in report.paths {
          for line in text.lines(path) { try session.write(line: line) }
        }
      }
    }
    return session.searchStatus(report.problems, isFound: !report.paths.isEmpty)
  }
}

extension Session {
  /// Tells what could not be read. The exit status of a search: that of damage, or else whether anything was found.
  func searchStatus(_ problems: [Problem], isFound: Bool) -> ExitStatus {
    tell(problems)
    if !problems.isEmpty { return .damaged }
    return isFound ? .done : .failed
  }
}
