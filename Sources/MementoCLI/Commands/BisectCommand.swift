// memento bisect

import ArgumentParser
import MementoKit

struct BisectCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "bisect",
    abstract: "Find the first state for which a command fails",
    usage: "memento bisect GOOD BAD [--in DIR] [--keep-scratch] -- CMD [ARG]...",
    discussion: """
      Searches the states between GOOD and BAD by halves, and prints the first one for which CMD fails, with what it \
      changed. Puts each state that it tests into a scratch folder elsewhere and runs CMD there; the folder and the store \
      stay as they are. CMD may change what it finds: the next state is exact again.

      CMD says what a state is, as for git bisect run: status 0 good, 125 cannot tell, any other one up to 127 bad; 128 and \
      above, or a signal, ends the search. GOOD and BAD are tested first. Searched is the line of parents from BAD back to \
      GOOD, or, where GOOD is not on it, all known states between the two by time.

      Exit status: 0 found; 1 not found, or skipped states leave several; those of memento otherwise.
      """)

  @Argument(help: ArgumentHelp("A state for which CMD succeeds", valueName: "GOOD"))
  var good: TextArgument

  @Argument(help: ArgumentHelp("A later state for which CMD fails", valueName: "BAD"))
  var bad: TextArgument

  @Option(
    name: .customLong("in"), parsing: .unconditional,
    help: ArgumentHelp("Make the scratch folder in DIR (default: $TMPDIR or /tmp)", valueName: "DIR"))
  var place: PathArgument?

  @Flag(help: "Leave the scratch folder with the last state that was tested")
  var keepScratch = false

  @Argument(help: .hidden)
  var misplaced: WordArgument?

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The command to run", valueName: "CMD"))
  var words: [WordArgument] = []

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    if misplaced != nil { throw ValidationError("the command goes after --, as in `memento bisect GOOD BAD -- make`") }
    guard let first = words.first else { throw ValidationError("bisect needs a command after --") }
    if first.bytes.isEmpty { throw ValidationError("the command is an empty word") }
  }

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository()
    let (good, bad) = (Revision(good.text), Revision(bad.text))
    try session.bring(good, .contents, repository)
    try session.bring(bad, .contents, repository)
    let range = try repository.bisectRange(from: good, to: bad)
    // From now on a signal asks for an end, so that the scratch folder is removed.
    let scratch = try session.monitored(showsProgress: false) { _ in
      try repository.makeScratchFolder(in: try folder(session))
    }
    var tests = BisectRun(
      range: range, scratch: scratch, command: words.map { BytePath($0.bytes) }, session: session)
    var found: BisectSearch
    do {
      found = try tests.run()
    } catch {
      end(scratch, session, asFailed: true)
      throw error
    }
    end(scratch, session, asFailed: false)
    let comparison = try compare(range, found, repository, session)
    if session.options.json {
      try session.write(
        document: BisectDocument(
          range, found, tests.steps, tests.problems, comparison, scratch: keepScratch ? scratch.path : nil))
    } else {
      try write(range, found, comparison, session)
    }
    if found.suspects.count > 1 { return .failed }
    return session.status(tests.problems)
  }

  /// Where the scratch folder is made.
  private func folder(_ session: Session) throws -> BytePath {
    let chosen = place.map { session.directory.resolving($0.path) } ?? session.temporaryFolder
    do {
      return try Paths.canonicalFolder(chosen)
    } catch {
      throw ErrorReport.system("make a folder in", chosen, error)
    }
  }

  private func end(_ scratch: ScratchFolder, _ session: Session, asFailed isFailed: Bool) {
    if keepScratch {
      session.note("the scratch folder is \(TerminalText.escaped(scratch.path))")
      return
    }
    do {
      try scratch.remove()
    } catch {
      // What was found is worth more than an empty disk: the folder is named, and can be removed by hand.
      session.tell([Problem(path: scratch.container, message: "not removed: \(error.message)")])
    }
  }

  private func compare(
    _ range: BisectRange, _ found: BisectSearch, _ repository: Repository, _ session: Session
  ) throws -> Comparison {
    var options = DiffOptions()
    options.from = Revision(range.states[found.lastGood].snapshot.id.description)
    options.to = Revision(range.states[found.firstBad].snapshot.id.description)
    return try session.monitored { [options] in try repository.diff(options, monitor: $0) }
  }

  private func write(
    _ range: BisectRange, _ found: BisectSearch, _ comparison: Comparison, _ session: Session
  ) throws {
    let text = BisectText(form: session.form)
    for line in text.result(range, found) { try session.write(line: line) }
    if session.options.quiet { return }
    let (stats, problems) = try ComparisonOutput(comparison).stats(in: session)
    for line in DiffStatText(form: session.form).lines(stats) { try session.write(line: line) }
    try session.write(line: text.diff(range, found))
    session.tell(comparison.problems + problems)
  }
}
