// memento fork

import ArgumentParser
import MementoKit

struct ForkCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "fork",
    abstract: "Make another working folder that shares the store",
    usage: """
      memento fork SNAPSHOT DIR [-n]
      memento fork --list [-z]
      memento fork --forget DIR [-n]
      """,
    discussion: """
      DIR becomes exactly the snapshot. From then on it has a timeline of its own: save, \
      undo and redo in one folder move no other. Names, content and config belong to the store, which all share, so nothing \
      is stored twice. A fork may be moved; gc keeps what its steps need.

      DIR is a new or empty folder outside of the others. Started again after an interruption, it goes on. --forget ends a \
      fork: its files stay, and gc drops its steps as it drops all that has no name.
      """)

  @Flag(help: "List the forks, and change nothing")
  var list = false

  @Flag(help: "Forget the fork DIR, which may be gone, or an id from --list")
  var forget = false

  @Argument(help: ArgumentHelp("SNAPSHOT and DIR; with --forget DIR", valueName: "SNAPSHOT DIR"))
  var words: [PathArgument] = []

  @OptionGroup var records: RecordOptions

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    try records.validate(with: global)
    if list && forget { throw ValidationError("--list and --forget exclude each other") }
    if records.isNullSeparated && !list { throw ValidationError("-z needs --list") }
    if list && change.dryRun { throw ValidationError("--list changes nothing, so it needs no --dry-run") }
    let wanted = list ? 0 : forget ? 1 : 2
    guard words.count == wanted else {
      throw ValidationError(
        list ? "--list takes no word" : forget ? "--forget needs one DIR" : "fork needs SNAPSHOT and DIR")
    }
  }

  func run(in session: Session) throws -> ExitStatus {
    if list { return try list(in: session) }
    if forget { return try forget(in: session) }
    guard let snapshot = String(validating: words[0].path.bytes, as: UTF8.self) else {
      throw ErrorReport.usage("SNAPSHOT is not UTF-8", advice: Advice.bytesOfText)
    }
    let repository = try session.openRepository(isDurable: !change.noSync, toChange: .store)
    let revision = Revision(snapshot)
    try session.bring(revision, .contents, repository)
    let options = try session.openOptions(isDurable: !change.noSync)
    let summary = try session.monitored { monitor in
      try repository.fork(
        revision, to: session.directory.resolving(words[1].path), options: options, isDryRun: change.dryRun,
        monitor: monitor)
    }
    session.tell(summary.restore.problems)
    if session.options.json {
      try session.write(document: ForkDocument(summary))
    } else {
      try session.say(ForkText(form: session.form).made(summary, of: snapshot, into: words[1].path))
    }
    return session.status(summary.restore.problems)
  }

  private func list(in session: Session) throws -> ExitStatus {
    let forks = try session.openRepository().forks()
    let text = ForkText(form: session.form)
    if session.options.json {
      try session.write(document: ForksDocument(forks))
    } else if records.isNullSeparated {
      try session.write(text.records(forks))
    } else {
      for line in text.lines(forks) { try session.write(line: line) }
    }
    return .done
  }

  private func forget(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(isDurable: !change.noSync, toChange: .store)
    let options = try session.openOptions(isDurable: !change.noSync)
    let place = session.directory.resolving(words[0].path)
    let forgotten = try session.monitored { monitor in
      try repository.forgetFork(place, options: options, isDryRun: change.dryRun, monitor: monitor)
    }
    if session.options.json {
      try session.write(document: ForgottenForkDocument(forgotten))
    } else {
      try session.say(ForkText(form: session.form).forgotten(forgotten))
    }
    return .done
  }
}
