// memento verify

import ArgumentParser
import MementoKit

struct VerifyCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check the store for damage",
    usage: "memento verify [--read-data] [--repair]",
    discussion: """
      Checks that nothing is missing in the store and, with --read-data, checks every byte. Prints which states and paths \
      are damaged; then the exit status is 13. Changes nothing without --repair.
      """)

  @Flag(help: "Read everything, and check it against its hash")
  var readData = false

  @Flag(help: "Repair what the folder or another copy still has; reads everything")
  var repair = false

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(mending: repair, toChange: repair ? .store : nil)
    if repair, !repository.isAttached { session.note("the folder is not read: it cannot be used from here") }
    let done = repair ? try session.monitored { try repository.repair(monitor: $0) } : nil
    let report = try done?.report ?? session.monitored { try repository.verify(readData: readData, monitor: $0) }
    if session.options.json {
      try session.write(document: VerifyDocument(report, repair: done))
    } else {
      for line in StoreText.damage(report.damage) { try session.write(line: line) }
      if let done { for line in StoreText.repaired(done) { try session.say(line) } }
      try session.say(StoreText.verified(report, readData: readData || repair))
    }
    if let note = StoreText.parity(report) { session.note(note) }
    guard report.damage.isEmpty else {
      throw ErrorReport(
        .damaged, "the store is damaged: \(StoreText.damageCount(report.damage.count))",
        advice: repair ? Advice.otherPaths : Advice.repair)
    }
    return .done
  }
}
