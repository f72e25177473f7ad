// memento verify

import ArgumentParser
import MementoKit

struct VerifyCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check the store for damage",
    usage: "memento verify [--remote NAME] [--read-data[=PERCENT]] [--since AGE] [--repair]",
    discussion: """
      Checks that nothing is missing in the store and, with --read-data, checks every byte, or \
      a part of them, another one each time. Prints which states and paths \
      are damaged; then the exit status is 13. Repairs nothing without --repair, which also brings from the remotes what is \
      whole there.

      With --remote, checks a remote instead; --repair sends it what it has lost and this store has.
      """)

  @Option(
    defaultAsFlag: PercentArgument(100),
    help: ArgumentHelp("Read everything, or a part, and check it against its hash", valueName: "PERCENT"))
  var readData: PercentArgument?

  @Option(help: ArgumentHelp("Read only what was not read within this time, such as 30d", valueName: "AGE"))
  var since: TextArgument?

  @Flag(help: "Repair what the folder, another copy or a remote still has; reads everything")
  var repair = false

  @Option(help: ArgumentHelp("Check the remote NAME, and not the store", valueName: "NAME"))
  var remote: TextArgument?

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    if let remote { return try check(remote.text, session) }
    let repository = try session.openRepository(mending: repair, toChange: repair ? .store : nil)
    if repair, !repository.isAttached { session.note("the folder is not read: it cannot be used from here") }
    let done = repair ? try mend(repository, session) : nil
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

  private func mend(_ repository: Repository, _ session: Session) throws -> RepairSummary {
    let done = try session.reaching { access, monitor in try repository.repair(access: access, monitor: monitor) }
    for problem in done.fromRemotes?.problems ?? [] {
      session.note("a remote was of no help: \(TerminalText.escaped(problem))")
    }
    return done
  }

  private func check(_ remote: String, _ session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(toChange: nil)
    var options = VerifyOptions(readPercent: readData?.percent ?? (since == nil && !repair ? 0 : 100))
    options.notReadSince = try since.map { try session.time($0, .start) }
    let found = try session.reaching { [options] access, monitor in
      try repository.verifyRemote(remote, options, repairs: repair, access: access, monitor: monitor)
    }
    if session.options.json {
      try session.write(document: RemoteVerifyDocument(found))
    } else {
      let text = RemoteUpkeepText(form: session.form)
      for line in StoreText.damage(found.report.damage) { try session.write(line: line) }
      if let line = text.repaired(found) { try session.say(line) }
      try session.say(text.verified(found, options: options))
    }
    guard found.report.damage.isEmpty else {
      throw ErrorReport(
        .damaged, "the remote \(found.remote) is damaged: \(StoreText.damageCount(found.report.damage.count))",
        advice: repair ? Advice.otherMachines : Advice.repairRemote(found.remote))
    }
    return .done
  }
}
