// memento log

import ArgumentParser
import MementoKit

struct LogCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show the history, newest first",
    usage: """
      memento log [SNAPSHOT] [--stat | --patch | --oneline] [-S TEXT] [-n N] [--since DATE] [--until DATE] [-- PATH...]
      memento log --all [--stat | --patch | --oneline] [-S TEXT] [-n N] [--since DATE] [--until DATE] [-- PATH...]
      """,
    discussion: """
      Prints a line for each entry: * where the folder is, id, what was done, time, user, files added (+), modified (~) \
      and removed (-), names. The message is below. With PATHs after --, prints only entries in which one of them changed.

      With --all, also prints what is not on the timeline any more: what undo left behind, what was deleted, and values. \
      Each is marked, and stays until `memento gc` drops it. What undo left is drawn as branches beside the timeline.

      With -p, the lines that changed are below each entry, as a unified diff. With -S, prints only entries that changed how \
      often TEXT occurs in a file: where it came, and where it went.

      A DATE is 2026-06-01, "2026-06-01 14:00", RFC 3339, or an age: 90s 30min 2h 7d 3w 6mo 1y.

      With -z, tabs separate the fields and NUL ends each record: mark (* position, u undone, d deleted, r \
      replaced), operation, id, names with : between, time, user, host, added, modified, removed, message.
      """)

  @Argument(help: ArgumentHelp("Start here (default: the whole timeline)", valueName: "SNAPSHOT"))
  var snapshot: TextArgument?

  @Argument(parsing: .postTerminator, help: ArgumentHelp("Only where one of these changed", valueName: "PATH"))
  var paths: [PathArgument] = []

  @Flag(help: "Show which files changed, and their sizes")
  var stat = false

  @Flag(name: [.customShort("p"), .long], help: "Show the lines that changed, as a unified diff")
  var patch = false

  @Option(
    name: .customShort("S", allowingJoined: true), parsing: .unconditional,
    help: ArgumentHelp("Only entries that changed how often TEXT occurs in a file", valueName: "TEXT"))
  var occurrence: WordArgument?

  @Flag(help: "Show one line for each entry: id, names, message")
  var oneline = false

  @Flag(help: "Also show what is not on the timeline any more")
  var all = false

  @Option(parsing: .unconditional, help: ArgumentHelp("Show nothing older", valueName: "DATE"))
  var since: TextArgument?

  @Option(parsing: .unconditional, help: ArgumentHelp("Show nothing newer", valueName: "DATE"))
  var until: TextArgument?

  @Option(
    name: [.customShort("n", allowingJoined: true), .customLong("max-count")],
    help: ArgumentHelp("Show at most so many entries", valueName: "N"))
  var limit: CountArgument?

  @OptionGroup var records: RecordOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    try records.validate(with: global)
    if all && snapshot != nil { throw ValidationError("--all does not go with a SNAPSHOT") }
    let forms = [(records.isNullSeparated, "-z"), (global.json, "--json")].filter(\.0).map(\.1)
    if oneline, let form = forms.first { throw ValidationError("--oneline does not go with \(form)") }
    if patch, let form = forms.first { throw ValidationError("--patch does not go with \(form)") }
    if stat && patch { throw ValidationError("--stat does not go with --patch") }
    if stat && records.isNullSeparated { throw ValidationError("--stat does not go with -z") }
  }

  func run(in session: Session) throws -> ExitStatus {
    do {
      return try write(in: session)
    } catch let error as RepositoryError {
      throw session.error(error, forPathInPlaceOf: snapshot, advice: Advice.historyOf)
    }
  }

  private func write(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository()
    let options = try options(repository, session)
    let needsTrees = stat || !options.paths.isEmpty || !options.pathspecs.isEmpty
    let needsContents = patch || occurrence != nil
    try session.bring(
      options.from, needsContents ? .contents : needsTrees ? .trees : .record,
      at: options.pathspecs.isEmpty ? options.paths : [], repository)
    var entries: [LogEntry] = []
    var problems: [Problem] = []
    if let occurrence {
      let report = try session.monitored { [options] in
        try repository.log(options, changing: occurrence.bytes, monitor: $0)
      }
      (entries, problems) = (report.entries, report.problems)
    } else {
      entries = try repository.log(options)
    }
    let text = LogText(form: session.form, drawsBranches: all)
    if session.options.json {
      try session.write(document: LogDocument(entries, marks: all))
    } else if records.isNullSeparated {
      try session.write(NullRecords.bytes(text.records(entries)))
    } else if patch {
      var further: [Problem] = []
      try session.paged { further = try writePatches(of: entries, repository, options, $0) }
      problems += further
    } else if !entries.isEmpty {
      let lines = oneline ? text.shortLines(entries) : text.lines(entries)
      try session.paged { session in
        for line in lines { try session.write(line: line) }
      }
    }
    session.tell(problems)
    return problems.isEmpty ? .done : .damaged
  }

  /// Writes each entry with what it changed. Returns what could not be read; the rest goes on.
  private func writePatches(
    of entries: [LogEntry], _ repository: Repository, _ options: LogOptions, _ session: Session
  ) throws -> [Problem] {
    let text = LogText(form: session.form, drawsBranches: all)
    var problems: [Problem] = []
    for (entry, lines) in zip(entries, oneline ? text.shortGroups(entries) : text.groups(entries)) {
      try session.checkInterruption()
      for line in lines { try session.write(line: line) }
      do {
        let changes = try repository.changes(of: entry, paths: options.paths, pathspecs: options.pathspecs)
        guard let changes, !changes.changes.isEmpty else { continue }
        if !oneline { try session.write(line: "") }
        problems += try ComparisonOutput(changes).write(.patch, in: session)
        if !oneline { try session.write(line: "") }
      } catch let error as RepositoryError where error.code == .damaged {
        problems.append(Problem(path: error.path ?? BytePath(entry.snapshot.id.short), message: error.message))
      }
    }
    return problems
  }

  private func options(_ repository: Repository, _ session: Session) throws -> LogOptions {
    var options = LogOptions()
    options.from = snapshot.map { Revision($0.text) }
    let chosen = try session.chosenPaths(paths, in: repository, of: [options.from])
    options.paths = chosen.paths
    options.pathspecs = chosen.pathspecs
    options.since = try since.map { try session.time($0, .start) }
    options.until = try until.map { try session.time($0, .end) }
    options.showsAll = all
    options.withChanges = stat
    options.limit = limit?.count
    return options
  }
}
