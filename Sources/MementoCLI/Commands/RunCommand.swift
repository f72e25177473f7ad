// memento run

import ArgumentParser
import MementoKit
import MementoSystem

struct RunCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a command between two saves",
    usage: "memento run [--name NAME] [--restore-on-failure] [--only PATTERN]... -- CMD [ARG]...",
    discussion: """
      Saves the folder, runs CMD in the current folder, and saves again. Prints one line on standard error about what CMD \
      has changed. `memento undo` takes that back. The exit status is that of CMD: 128 and a number when a signal ended \
      it, 127 when there is no such command, 126 when it cannot be run, and 125 when memento itself fails.

      With --restore-on-failure the folder becomes what it was when CMD fails; what CMD has left is kept, and \
      `memento redo` brings it back.

      With --only, what CMD has touched outside of the patterns becomes what it was, is named, and the exit status is \
      125. What is taken back was saved before: `memento undo` brings it back.
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Save as NAME, before (then NAME~1) and after", valueName: "NAME"))
  var name: TextArgument?

  @Flag(help: "Make the folder what it was when the command fails")
  var restoreOnFailure = false

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Take back what the command touches outside of it, as in .gitignore", valueName: "PATTERN"))
  var only: [WordArgument] = []

  @OptionGroup var document: DocumentArguments

  @Flag(help: "Do not wait for the disk: safe against a kill, not against a power cut")
  var noSync = false

  @Argument(help: .hidden)
  var misplaced: WordArgument?

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The command to run", valueName: "CMD"))
  var words: [WordArgument] = []

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    try document.validate(with: global)
    if only.contains(where: \.bytes.isEmpty) { throw ValidationError("--only needs a pattern that is not empty") }
    if misplaced != nil { throw ValidationError("the command goes after --, as in `memento run -- make`") }
    guard let first = words.first else { throw ValidationError("run needs a command after --") }
    if first.bytes.isEmpty { throw ValidationError("the command is an empty word") }
  }

  var separateDocument: DescriptorOutput? { document.output }

  func run(in session: Session) throws -> ExitStatus {
    if let name { try StateName.validate(name.text) }
    let separate = document.output
    let command = words.map { BytePath($0.bytes) }
    let opened = try SaveTarget(session, isDurable: !noSync, mayCreate: true)
    let repository = opened.repository
    let before = try save(repository, as: name?.text, session)
    session.tell(before.problems)
    let watch = Stopwatch()
    let end = try runInForeground(command, session)
    var status = ExitStatus(code: end.status)
    do {
      let result = try RunFinish(
        repository: repository, session: session, command: command, name: name?.text,
        restoresOnFailure: restoreOnFailure, only: only.map(\.bytes)
      ).run(after: before, end, milliseconds: watch.milliseconds)
      if !result.outside.isEmpty { status = .runFailed }
      let document = RunDocument(
        result, exitStatus: status, folder: repository.folder, storeCreated: opened.isNew)
      if session.options.json {
        session.tell(document: document)
      } else {
        let text = RunText(form: session.form)
        for line in text.outside(result) { session.note(line) }
        session.note(text.line(result))
        separate?.tell(JSONText.line(document))
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
    return status
  }

  private func save(_ repository: Repository, as name: String?, _ session: Session) throws -> SaveSummary {
    var options = SaveOptions(name: name)
    options.asksFirst = true
    return try GrowthQuestion(session).saving { [options] in try repository.save(options, monitor: $0) }
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
}
