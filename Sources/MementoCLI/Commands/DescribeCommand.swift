// memento describe

import ArgumentParser
import MementoKit

struct DescribeCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe",
    abstract: "Put a note beside a snapshot",
    usage: "memento describe SNAPSHOT [-m TEXT]",
    discussion: """
      The snapshot stays what it is, with the same id; log and show print the note. A snapshot has one note: another one \
      takes its place, and an empty one removes it. Without -m, the note is printed; the exit status is 1 when there is none.
      """)

  @Argument(help: ArgumentHelp("A name, an id, @~1", valueName: "SNAPSHOT"))
  var snapshot: TextArgument

  @Option(
    name: .shortAndLong, parsing: .unconditional,
    help: ArgumentHelp("The note, at most 4096 bytes; an empty one removes it", valueName: "TEXT"))
  var message: TextArgument?

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    guard let message else { return try show(in: session) }
    let repository = try session.openRepository(isDurable: !change.noSync, toChange: .store)
    let noted = try repository.describe(Revision(snapshot.text), as: message.text, isDryRun: change.dryRun)
    if session.options.json {
      try session.write(document: DescribeDocument(noted, dryRun: change.dryRun))
    } else {
      try session.say(StoreText.described(noted, isDryRun: change.dryRun, form: session.form))
    }
    return .done
  }

  private func show(in session: Session) throws -> ExitStatus {
    let noted = try session.openRepository().note(of: Revision(snapshot.text))
    if session.options.json {
      try session.write(document: DescribeDocument(noted, dryRun: false))
    } else if let note = noted.note {
      for line in note.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
        try session.write(line: TerminalText.escaped(String(line)))
      }
    }
    return noted.note == nil ? .failed : .done
  }
}
