// memento gc

import ArgumentParser
import MementoKit

struct GCCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc",
    abstract: "Give back the space that no state needs",
    usage: "memento gc [--dry-run]",
    discussion: "A named state and recent history are never touched.")

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(isDurable: !change.noSync, toChange: .store)
    let summary = try session.monitored {
      try repository.collectGarbage(isDryRun: change.dryRun, monitor: $0)
    }
    if session.options.json {
      try session.write(document: GarbageDocument(summary))
    } else {
      try session.say(StoreText.garbage(summary))
    }
    return .done
  }
}
