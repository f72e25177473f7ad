// memento import

import ArgumentParser
import MementoKit

struct ImportCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Record a tar archive as a snapshot",
    usage: "memento import FILE NAME [-m TEXT] [--no-clobber] [-n]",
    discussion: """
      Makes a snapshot of what a tar archive holds, without unpacking it: the folder is not touched. Reads the forms of \
      pax, ustar, GNU and the old Unix, plain or compressed with gzip or zstd, from FILE, or from standard input where \
      FILE is -. A NAME that is in use moves to the new snapshot. What a snapshot cannot hold is named on standard error; \
      then the exit status is 3. Of an archive that is damaged or cut off, nothing is recorded.
      """)

  @Argument(help: ArgumentHelp("The archive; - for standard input", valueName: "FILE"))
  var file: PathArgument

  @Argument(help: ArgumentHelp("The state to save as", valueName: "NAME"))
  var name: TextArgument

  @Option(
    name: [.customShort("m", allowingJoined: true), .long], parsing: .unconditional,
    help: ArgumentHelp("Record a message with it", valueName: "TEXT"))
  var message: TextArgument?

  @Flag(help: "Refuse a name that is in use instead of moving it")
  var noClobber = false

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    try StateName.validate(name.text)
    var options = ImportOptions()
    options.message = message?.text
    options.noClobber = noClobber
    options.isDryRun = change.dryRun
    // A file that cannot be read must fail before a store is made.
    let input = try ArchiveFile(file.path, in: session)
    let target = try SaveTarget(
      session, isDurable: !change.noSync, mayCreate: false, toChange: .store)
    let summary = try session.monitored { [options] in
      try target.repository.importArchive(
        readingFrom: input.descriptor, as: name.text, options, monitor: $0)
    }
    session.tell(summary.problems)
    if session.options.json {
      try session.write(document: SaveDocument(summary, folder: target.repository.folder, storeCreated: target.isNew))
    } else {
      try session.say(ArchiveText(form: session.form).imported(summary))
    }
    return session.status(summary.problems)
  }
}
