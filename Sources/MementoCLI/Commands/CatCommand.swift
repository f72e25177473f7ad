// memento cat

import ArgumentParser
import MementoKit

struct CatCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat",
    abstract: "Write a file of a snapshot, or a value, to standard output",
    usage: "memento cat SNAPSHOT:PATH",
    discussion: """
      Writes exactly the bytes that were saved. A state that is a single value needs no PATH. PATH is relative to the \
      folder that is saved. A PATH that begins with ./ or ../ is relative to the current folder.
      """)

  @Argument(help: ArgumentHelp("What to write", valueName: "SNAPSHOT:PATH"))
  var place: SnapshotPathArgument

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository()
    // With nothing after the colon, the snapshot itself is meant, so that a value can also be written as `NAME:`.
    let path = try session.path(of: place, in: repository).flatMap { $0.bytes.isEmpty ? nil : $0 }
    try session.bring(place.revision, .contents, at: path.map { [$0] } ?? [], repository)
    let content = ContentPrinter(repository, place.revision, path)
    if session.options.json {
      try content.writeDocument(in: session)
    } else {
      try content.write(in: session)
    }
    return .done
  }
}
