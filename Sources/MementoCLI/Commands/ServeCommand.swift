// memento serve

import ArgumentParser
import MementoKit
import MementoObjects

/// What ssh starts on the other machine.
struct ServeCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the objects of a remote to another memento",
    usage: "memento serve --stdio PATH",
    discussion: """
      A remote of the form ssh://host/path starts this on the other machine. It reads requests on its standard input and \
      answers on its standard output, as docs/remote-helpers.md describes, and ends when its input ends.
      """,
    shouldDisplay: false)

  @Flag(help: "Use the standard streams (the only way there is)")
  var stdio = false

  @Argument(help: ArgumentHelp("The folder with the objects; only its last part is made", valueName: "PATH"))
  var folder: PathArgument

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    guard stdio else { throw ErrorReport.usage("serve needs --stdio") }
    let objects = DirectoryObjects(path: session.directory.resolving(folder.path).bytes)
    do throws(ObjectError) {
      try ObjectServer(
        objects, input: session.context.standardInput, output: session.context.standardOutput
      ).run()
    } catch {
      throw ErrorReport(.system, "cannot go on serving: \(error.reason)")
    }
    return .done
  }
}
