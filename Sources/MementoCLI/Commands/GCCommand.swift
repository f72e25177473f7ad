// memento gc

import ArgumentParser
import MementoKit

struct GCCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc",
    abstract: "Give back the space that no state needs",
    usage:
      "memento gc [--dry-run] [--now] [--prune-unnamed <age>] [--max-size <size>]\n          [--max-time <duration>] [--recompress]\n       memento gc --remote NAME [--dry-run]",
    discussion: """
      Never drops a named state or the current position. Keeps unnamed snapshots and steps of the history as long as \
      "keep" in the config says (30 days, and the newest 200), and deleted states, replaced ones and undone steps as long \
      as "trash" says (14 days). Prints what it drops and what it keeps. Puts versions that only older snapshots need \
      side by side, so that a long history takes little space.

      With --remote, marks the packs of a remote that none of its names needs, and removes those that were marked more \
      than 24 hours ago.
      """)

  @Flag(help: "Drop deleted states, replaced ones and undone steps at once")
  var now = false

  @Option(
    help: ArgumentHelp(
      "Drop unnamed snapshots older than this, whatever \"keep\" says: 12h, 30d, 6mo", valueName: "age"))
  var pruneUnnamed: AgeArgument?

  @Option(
    help: ArgumentHelp("Drop the oldest unnamed snapshots until the store is smaller: 500M, 5G, 10%", valueName: "size")
  )
  var maxSize: BudgetArgument?

  @Option(
    help: ArgumentHelp(
      "Write packs anew for so long at most; the next gc does the rest: 30s, 10min", valueName: "duration"))
  var maxTime: AgeArgument?

  @Flag(help: "Also compress anew what saves have compressed in haste")
  var recompress = false

  @Option(help: ArgumentHelp("Give back space on the remote NAME, and none here", valueName: "NAME"))
  var remote: TextArgument?

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    let isLocal = now || recompress || pruneUnnamed != nil || maxSize != nil || maxTime != nil || change.noSync
    if remote != nil && isLocal { throw ValidationError("--remote goes with --dry-run only") }
  }

  func run(in session: Session) throws -> ExitStatus {
    if let remote { return try collect(on: remote.text, session) }
    let repository = try session.openRepository(isDurable: !change.noSync, toChange: .store)
    var options = GarbageOptions()
    options.isDryRun = change.dryRun
    options.emptiesTrash = now
    options.unnamedAge = pruneUnnamed?.seconds
    options.budget = maxSize?.budget
    options.timeLimit = maxTime?.seconds
    options.recompresses = recompress
    let summary = try session.monitored { [options] in
      try repository.collectGarbage(options, monitor: $0)
    }
    let forks = try repository.forks()
    if session.options.json {
      try session.write(document: GarbageDocument(summary, forks))
    } else {
      let lines = GarbageText.lines(summary, form: session.form) + ForkText(form: session.form).kept(forks)
      for line in lines { try session.say(line) }
    }
    return .done
  }

  private func collect(on remote: String, _ session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(toChange: .store)
    let summary = try session.reaching { access, monitor in
      try repository.collectRemoteGarbage(on: remote, isDryRun: change.dryRun, access: access, monitor: monitor)
    }
    if session.options.json {
      try session.write(document: RemoteCollectionDocument(summary))
    } else {
      for line in RemoteUpkeepText(form: session.form).collected(summary) { try session.say(line) }
    }
    return summary.isComplete ? .done : .failed
  }
}
