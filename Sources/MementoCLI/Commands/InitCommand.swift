// memento init

import ArgumentParser
import MementoKit

struct InitCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Make a store for a folder",
    usage: "memento init [--compression CODEC] [DIR]",
    discussion: """
      You need this only to choose a compression, and to save / or the home folder. Everywhere else the first \
      `memento save` makes the store.
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Compress with zlib[:1-9], zstd[:1-19] or none (default: zstd:1)", valueName: "CODEC"))
  var compression: TextArgument?

  @Argument(help: ArgumentHelp("The folder (default: the current one)", valueName: "DIR"))
  var folder: PathArgument?

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try Repository.create(
      folder: try folder.map { try resolve($0.path, session) } ?? session.directory,
      options: try session.openOptions(), compression: compression?.text)
    session.tell(repository.notes)
    if session.options.json {
      try session.write(document: InitDocument(folder: repository.folder, store: repository.storePath))
    } else {
      try session.say("made the store \(TerminalText.escaped(repository.storePath))")
    }
    return .done
  }

  private func resolve(_ path: BytePath, _ session: Session) throws -> BytePath {
    do {
      return try Paths.canonicalFolder(session.directory.resolving(path))
    } catch {
      throw ErrorReport.system("make a store in", path, error)
    }
  }
}
