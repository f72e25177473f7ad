// memento run

import ArgumentParser
import MementoKit
import MementoSystem

struct RunCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a command between two saves",
    usage: "memento run [--name NAME] [--restore-on-failure] -- CMD [ARG]...",
    discussion: """
      Saves the folder, runs CMD in the current folder, and saves again. Prints one line on standard error about what CMD \
      has changed. `memento undo` takes that back. The exit status is that of CMD: 128 and a number when a signal ended \
      it, 127 when there is no such command, 126 when it cannot be run, and 125 when memento itself fails.

      With --restore-on-failure the folder becomes what it was when CMD fails; what CMD has left is kept, and \
      `memento redo` brings it back.
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Save as NAME, before (then NAME~1) and after", valueName: "NAME"))
  var name: TextArgument?

  @Flag(help: "Make the folder what it was when the command fails")
  var restoreOnFailure = false

  @Flag(help: "Do not wait for the disk: safe against a kill, not against a power cut")
  var noSync = false

  @Argument(help: .hidden)
  var misplaced: WordArgument?

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The command to run", valueName: "CMD"))
  var words: [WordArgument] = []

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    if misplaced != nil { throw ValidationError("the command goes after --, as in `memento run -- make`") }
    guard let first = words.first else { throw ValidationError("run needs a command after --") }
    if first.bytes.isEmpty { throw ValidationError("the command is an empty word") }
  }

  func run(in session: Session) throws -> ExitStatus {
    if let name { try StateName.validate(name.text) }
    let command = words.map { BytePath($0.bytes) }
    let opened = try SaveTarget(session, isDurable: !noSync, mayCreate: true)
    let repository = opened.repository
    let before = try save(repository, as: name?.text, session)
    session.tell(before.problems)
    let end = try runInForeground(command, session)
    do {
      let result = try finish(repository, command[0], before, end, session)
      if session.options.json {
        session.tell(document: RunDocument(result, folder: repository.folder, storeCreated: opened.isNew))
      } else {
        session.note(RunText(form: session.form).line(result))
      }
    } catch {
      // The caller needs the exit status of a failed command, even when memento fails afterwards.
      var report = ErrorReport(caught: error, signal: session.context.receivedSignal())
      report.followsCommand = true
      if end.failure != nil {
        report.status = ExitStatus(code: end.status)
        report.isCommandStatus = true
      }
      throw report
    }
    return ExitStatus(code: end.status)
  }

  private func save(
    _ repository: Repository, as name: String?, _ session: Session, heedsSignals: Bool = true
  ) throws -> SaveSummary {
    try session.monitored(heedsSignals: heedsSignals) {
      try repository.save(SaveOptions(name: name), monitor: $0)
    }
  }

  private func runInForeground(_ command: [BytePath], _ session: Session) throws -> ProcessEnd {
    // -C also applies to the command.
    if session.directory != session.context.currentDirectory {
      try session.context.enterDirectory(session.directory)
    }
    let end: ProcessEnd?
    do throws(Errno) {
      end = try ForegroundCommand.run(command, context: session.context)
    } catch {
      throw ErrorReport.cannotRun(command[0], error)
    }
    guard let end else { throw RepositoryError(.cancelled, "interrupted") }
    return end
  }

  /// Saves what the command has changed. If the command failed and --restore-on-failure is given, restores the folder.
  private func finish(
    _ repository: Repository, _ command: BytePath, _ before: SaveSummary, _ end: ProcessEnd, _ session: Session
  ) throws -> RunResult {
    let isTakenBack = restoreOnFailure && end.failure != nil
    // The name is for a state that the command reached, not for one that is taken back.
    // `timeout` and similar programs send a signal to the command and another to this program. The signal that ended
    // the command must not stop this program from taking back what the command did.
    let after = try save(repository, as: isTakenBack ? nil : name?.text, session, heedsSignals: !isTakenBack)
    session.tell(after.problems)
    var result = RunResult(
      command: command, failure: end.failure, status: end.status, signal: end.signal, before: before.snapshot,
      after: after.snapshot,
      changes: try repository.countChanges(from: before.snapshot.id, to: after.snapshot.id),
      problems: before.problems + after.problems)
    guard isTakenBack, after.snapshot.id != before.snapshot.id else { return result }
    var options = RestoreOptions()
    options.followsTimeline = true
    let restored = try session.monitored(heedsSignals: false) { [options] in
      try repository.restore(Revision(before.snapshot.id), options, monitor: $0)
    }
    session.tell(restored.problems)
    result.problems += restored.problems
    result.isTakenBack = true
    return result
  }
}
