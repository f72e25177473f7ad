// memento prune

import ArgumentParser
import MementoKit

struct PruneCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove names by a policy",
    usage: """
      memento prune [-n] [--keep-last N] [--keep-hourly N] [--keep-daily N] [--keep-weekly N] [--keep-monthly N] \
      [--keep-yearly N] [--keep-within AGE] [--allow-empty] [--remote NAME] [PATTERN]
      """,
    discussion: """
      Keeps every state for which some option says so, and prints the reason; removes the names of all others, in one \
      step. Of each hour, day, week, month or year that has a state, the newest is kept. N is a number or `unlimited`. \
      An AGE is counted from the newest state: 90s 30min 2h 7d 3w 6mo 1y.

      Days and weeks are those of local time. `memento gc` frees the space later.

      With --remote, all of this is about the names of a remote, and names here stay. `memento gc --remote NAME` frees the \
      space there.
      """)

  @Argument(help: ArgumentHelp("Only names that match this glob; * also matches /", valueName: "PATTERN"))
  var pattern: TextArgument?

  @Option(help: ArgumentHelp("Keep so many of the newest", valueName: "N"))
  var keepLast: KeepCountArgument?

  @Option(help: ArgumentHelp("Keep the newest of each of so many hours", valueName: "N"))
  var keepHourly: KeepCountArgument?

  @Option(help: ArgumentHelp("Keep the newest of each of so many days", valueName: "N"))
  var keepDaily: KeepCountArgument?

  @Option(help: ArgumentHelp("Keep the newest of each of so many weeks", valueName: "N"))
  var keepWeekly: KeepCountArgument?

  @Option(help: ArgumentHelp("Keep the newest of each of so many months", valueName: "N"))
  var keepMonthly: KeepCountArgument?

  @Option(help: ArgumentHelp("Keep the newest of each of so many years", valueName: "N"))
  var keepYearly: KeepCountArgument?

  @Option(help: ArgumentHelp("Keep all that are not older than the newest by more", valueName: "AGE"))
  var keepWithin: TextArgument?

  @Flag(help: "Remove all names if the policy keeps none")
  var allowEmpty = false

  @Option(help: ArgumentHelp("Remove names of the remote NAME, and none here", valueName: "NAME"))
  var remote: TextArgument?

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    let counts = [keepLast, keepHourly, keepDaily, keepWeekly, keepMonthly, keepYearly]
    if counts.allSatisfy({ $0 == nil }) && keepWithin == nil && !allowEmpty {
      throw ValidationError("name what to keep: --keep-last, --keep-daily and so on")
    }
    if remote != nil && change.noSync { throw ValidationError("--remote and --no-sync exclude each other") }
  }

  func run(in session: Session) throws -> ExitStatus {
    if let keepWithin, !session.isAge(keepWithin.text) {
      throw ErrorReport.usage("\"\(keepWithin.text)\" is not an age", advice: Advice.ages)
    }
    let repository = try session.openRepository(isDurable: !change.noSync, toChange: .store)
    var options = PruneOptions(policy)
    options.isDryRun = change.dryRun
    options.allowsEmpty = allowEmpty
    if let remote { return try prune(remote.text, options, repository, session) }
    if let pattern = pattern?.text {
      let matching = try repository.stateNames().keys.filter(NamePattern(pattern).matches)
      if matching.isEmpty {
        throw ErrorReport(.noSuchState, "no state matches \"\(pattern)\"", advice: Advice.listStates)
      }
      options.names = matching
    }
    let summary = try repository.prune(options)
    if session.options.json {
      try session.write(document: PruneDocument(summary))
    } else {
      for line in PruneText(form: session.form).lines(summary) { try session.say(line) }
    }
    return .done
  }

  private func prune(
    _ remote: String, _ options: PruneOptions, _ repository: Repository, _ session: Session
  ) throws -> ExitStatus {
    var options = options
    options.names = pattern.map { [$0.text] }
    let summary = try session.reaching { [options] access, monitor in
      try repository.pruneRemote(remote, options, access: access, monitor: monitor)
    }
    if session.options.json {
      try session.write(document: RemotePruneDocument(summary))
    } else {
      for line in PruneText(form: session.form).lines(summary) { try session.say(line) }
    }
    return .done
  }

  private var policy: PrunePolicy {
    var policy = PrunePolicy()
    policy.last = keepLast?.count ?? 0
    policy.hourly = keepHourly?.count ?? 0
    policy.daily = keepDaily?.count ?? 0
    policy.weekly = keepWeekly?.count ?? 0
    policy.monthly = keepMonthly?.count ?? 0
    policy.yearly = keepYearly?.count ?? 0
    policy.within = keepWithin?.text
    return policy
  }
}

/// How many to keep: a number, or `unlimited`.
struct KeepCountArgument: ExpressibleByArgument, Equatable, Sendable {
  let count: Int

  init?(argument: String) {
    if argument == "unlimited" {
      count = PrunePolicy.unlimited
    } else {
      guard let count = Int(argument), count >= 0 else { return nil }
      self.count = count
    }
  }
}
