// memento grep

import ArgumentParser
import MementoKit

struct GrepCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "grep",
    abstract: "Search the content of all states",
    usage: """
      memento grep [-i] [-l] [-n] [-F] REGEX [SNAPSHOT...] [-- PATH...]
      memento grep [-i] [-l] [-n] [-F] -e REGEX [SNAPSHOT...] [-- PATH...]
      """,
    discussion: """
      Prints SNAPSHOT:PATH: and the line for each line that matches the extended regular expression. Without a SNAPSHOT, \
      searches all states that `memento log --all` knows, newest first. A version of a file that several of them have is \
      searched once, and printed with the first of them.

      Bytes are matched, as in the C locale. The exit status is 0 when a line was found, 1 when none was, and 13 when \
      something is damaged.
      """)

  @Argument(help: ArgumentHelp("What to look for, and where", valueName: "REGEX"))
  var words: [WordArgument] = []

  // The parser allows one list of arguments, and that has the snapshots: see `CommandLineWords.withPaths`.
  @Option(
    name: .customLong("path"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Only this file or folder; the same as PATHs after --", valueName: "PATH"))
  var paths: [PathArgument] = []

  @Flag(name: [.customShort("i"), .long], help: "Take letters of both cases as the same")
  var ignoreCase = false

  @Flag(name: [.customShort("l"), .customLong("files-with-matches")], help: "Print only which files have a match")
  var onlyNames = false

  @Flag(name: [.customShort("n"), .long], help: "Print the number of each line")
  var lineNumber = false

  @Flag(name: [.customShort("F"), .long], help: "Look for exactly this text")
  var fixedStrings = false

  @Option(
    name: [.customShort("e"), .customLong("regexp")], parsing: .unconditional,
    help: ArgumentHelp("Look for this; for one that begins with -", valueName: "REGEX"))
  var pattern: WordArgument?

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    if pattern == nil, words.isEmpty { throw ValidationError("Missing expected argument 'REGEX'") }
  }

  func run(in session: Session) throws -> ExitStatus {
    let bytes = pattern?.bytes ?? words[0].bytes
    var options = GrepOptions(
      fixedStrings
        ? try SearchPattern(text: bytes, ignoringCase: ignoreCase)
        : try SearchPattern(regularExpression: bytes, ignoringCase: ignoreCase))
    let repository = try session.openRepository()
    options.revisions = try words.dropFirst(pattern == nil ? 1 : 0).map {
      guard let text = String(validating: $0.bytes, as: UTF8.self) else {
        throw ErrorReport.usage("a SNAPSHOT is UTF-8", advice: Advice.bytesOfText)
      }
      return Revision(text)
    }
    let chosen = try session.chosenPaths(paths, in: repository, of: options.revisions).collapsed
    options.paths = chosen.paths
    options.pathspecs = chosen.pathspecs
    options.onlyNames = onlyNames
    for revision in options.revisions { try session.bring(revision, .contents, at: chosen.toBring, repository) }
    if session.options.json { return try writeDocuments(repository, options, session) }
    var summary: GrepSummary?
    try session.paged { session in
      let text = GrepText(form: session.form, showsNumbers: lineNumber, showsOnlyNames: onlyNames)
      summary = try session.searching { monitor in
        try repository.grep(options, monitor: monitor) { matches in
          for match in matches { try session.write(text.line(match)) }
          try session.flush()
        }
      }
    }
    // Whoever leaves the pager early has seen something.
    return session.searchStatus(summary?.problems ?? [], isFound: summary?.matches != 0)
  }

  private func writeDocuments(
    _ repository: Repository, _ options: GrepOptions, _ session: Session
  ) throws -> ExitStatus {
    let summary = try session.searching { monitor in
      try repository.grep(options, monitor: monitor) { matches in
        for match in matches { try session.write(document: GrepMatchDocument(match)) }
        try session.flush()
      }
    }
    for problem in summary.problems { try session.write(document: SearchProblemDocument(problem)) }
    try session.write(document: GrepSummaryDocument(summary))
    return session.searchStatus(summary.problems, isFound: summary.matches > 0)
  }
}

extension Session {
  /// Runs a search that prints what it finds while it goes on: without a progress line. On a terminal a signal ends the
  /// program at once, as nothing is changed, and the pager takes those of the keyboard.
  func searching<Result>(_ work: (any Monitor) throws -> Result) throws -> Result {
    try monitored(showsProgress: false, catchesSignals: !context.isOutputTerminal, work)
  }
}
