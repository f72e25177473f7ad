// memento gc

import ArgumentParser
import MementoKit

struct GCCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc",
    abstract: "Give back the space that no state needs",
    usage: "memento gc [--dry-run] [--now]",
    discussion: """
      Never drops a named state or a step of the recent history. Keeps deleted states, replaced ones and undone steps for \
      14 days. Prints what it drops and what it keeps.
      """)

  @Flag(help: "Drop deleted states, replaced ones and undone steps at once")
  var now = false

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(isDurable: !change.noSync, toChange: .store)
    let summary = try session.monitored {
      try repository.collectGarbage(isDryRun: change.dryRun, emptyingTrash: now, monitor: $0)
    }
    if session.options.json {
      try session.write(document: GarbageDocument(summary))
    } else {
      try session.say(StoreText.garbage(summary))
      for line in TrashText.lines(summary, form: session.form) { try session.say(line) }
    }
    return .done
  }
}
