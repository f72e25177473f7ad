// memento check-ignore

import ArgumentParser
import MementoKit

struct CheckIgnoreCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-ignore",
    abstract: "Say which paths are ignored, and by which rule",
    usage: "memento check-ignore [-v] [-z] PATH...",
    discussion: """
      Prints those of the PATHs that no save records. With -v, each line begins with the rule that decides: \
      FILE:LINE:PATTERN and a tab. Paths that a rule with ! takes back in are printed, too. With -z each field ends in NUL.

      Exit status: 0 when at least one path is ignored, 1 when none is.
      """)

  @Argument(help: ArgumentHelp("Files and folders, which need not exist", valueName: "PATH"))
  var paths: [PathArgument]

  @OptionGroup var ignoring: IgnoreArguments

  @OptionGroup var records: RecordOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    try records.validate(with: global)
  }

  func run(in session: Session) throws -> ExitStatus {
    let repository = try Repository.find(from: session.directory, options: try session.openOptions())
    try repository.checkConfig()
    let places = session.places(in: repository)
    let slash = UInt8(ascii: "/")
    let relative = try paths.map { path in
      let place = try places.relative(path.path)
      // A slash at the end says that the path is a folder, even if it does not exist.
      return path.path.bytes.last == slash ? BytePath(place.bytes + [slash]) : place
    }
    let reasons: [IgnoreReason?]
    let options = try ignoring.options(from: session.directory)
    do throws(RepositoryError) {
      reasons = try repository.ignoreReasons(for: relative, options)
    } catch {
      // The status 1 means "no path is ignored", so a failure must have another one.
      var report = ErrorReport(error)
      if error.code == .system { report.status = .partial }
      throw report
    }
    let checked = zip(paths, reasons).map { CheckedPath(path: $0.path, reason: $1) }
    let shown = checked.filter { $0.isIgnored || (session.options.verbose && $0.reason != nil) }
    let text = CheckIgnoreText(isVerbose: session.options.verbose)
    if session.options.json {
      try session.write(document: CheckIgnoreDocument(checked))
    } else if records.isNullSeparated {
      try session.write(shown.flatMap(text.record))
    } else {
      for path in shown { try session.write(line: text.line(path)) }
    }
    return checked.contains(where: \.isIgnored) ? .done : .failed
  }
}
