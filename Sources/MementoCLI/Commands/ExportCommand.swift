// memento export

import ArgumentParser
import MementoKit

struct ExportCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a snapshot as a tar archive",
    usage: "memento export SNAPSHOT [FILE.tar[.gz|.zst]] [--gzip | --zstd]",
    discussion: """
      Writes a tar archive in the pax form, which every tar reads, to FILE, or to standard output where FILE is - or is \
      left out. The ending of FILE says how it is compressed. The same snapshot gives the same bytes each time. FILE gets \
      its name when it is whole.
      """)

  @Argument(help: ArgumentHelp("What to write: a name, an id, @~1", valueName: "SNAPSHOT"))
  var snapshot: TextArgument

  @Argument(help: ArgumentHelp("Where to write; - for standard output", valueName: "FILE"))
  var file: PathArgument?

  @Flag(help: "Compress with gzip, whatever FILE is called")
  var gzip = false

  @Flag(help: "Compress with zstd, whatever FILE is called")
  var zstd = false

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    if gzip && zstd { throw ValidationError("--gzip and --zstd exclude each other") }
  }

  func run(in session: Session) throws -> ExitStatus {
    let target = file.flatMap { $0.path == BytePath("-") ? nil : session.directory.resolving($0.path) }
    if target == nil, session.context.isOutputTerminal {
      throw ErrorReport.usage("an archive is not written to a terminal", advice: Advice.archiveFile)
    }
    let repository = try session.openRepository()
    let revision = Revision(snapshot.text)
    try session.bring(revision, .contents, repository)
    let compression: ArchiveCompression? = gzip ? .gzip : zstd ? .zstd : nil
    let summary = try session.monitored { monitor in
      if let target {
        return try repository.export(revision, toFile: target, compression: compression, monitor: monitor)
      }
      return try repository.export(
        revision, to: session.context.standardOutput, compression: compression ?? .none, monitor: monitor)
    }
    let document = ExportDocument(summary, file: target)
    if target == nil {
      // Standard output has the archive.
      if session.options.json { session.tell(document: document) }
    } else if session.options.json {
      try session.write(document: document)
    } else {
      try session.say(ArchiveText(form: session.form).exported(summary, snapshot.text, to: file?.path ?? BytePath("-")))
    }
    return .done
  }
}
