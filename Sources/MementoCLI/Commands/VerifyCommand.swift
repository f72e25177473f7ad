// memento verify

import ArgumentParser
import MementoKit

struct VerifyCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check the store for damage",
    usage: "memento verify [--read-data[=PERCENT]] [--since AGE] [--repair]",
    discussion: """
      Checks that nothing is missing in the store and, with --read-data, checks every byte, or \
      a part of them, another one each time. Prints which states and paths \
      are damaged; then the exit status is 13. Repairs nothing without --repair.
      """)

  @Option(
    defaultAsFlag: PercentArgument(100),
    help: ArgumentHelp("Read everything, or a part, and check it against its hash", valueName: "PERCENT"))
  var readData: PercentArgument?

  @Option(help: ArgumentHelp("Read only what was not read within this time, such as 30d", valueName: "AGE"))
  var since: TextArgument?

  @Flag(help: "Repair what the folder or another copy still has; reads everything")
  var repair = false

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(mending: repair, toChange: repair ? .store : nil)
    if repair, !repository.isAttached { session.note("the folder is not read: it cannot be used from here") }
    let done = repair ? try session.monitored { try repository.repair(monitor: $0) } : nil
    var options = VerifyOptions(readPercent: readData?.percent ?? (since == nil ? 0 : 100))
    options.notReadSince = try since.map { try session.time($0, .start) }
    let report = try done?.report ?? session.monitored { [options] in try repository.verify(options, monitor: $0) }
    if session.options.json {
      try session.write(document: VerifyDocument(report, repair: done))
    } else {
      for line in StoreText.damage(report.damage) { try session.write(line: line) }
      if let done { for line in StoreText.repaired(done) { try session.say(line) } }
      try session.say(StoreText.verified(report, options: repair ? VerifyOptions(readPercent: 100) : options))
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
