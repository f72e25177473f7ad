// memento stats

import ArgumentParser
import MementoKit

struct StatsCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Show what takes space, and what deleting would free",
    usage: "memento stats [SNAPSHOT | PATTERN]...\n       memento stats --remote NAME",
    discussion: """
      Without arguments, about all states. A PATTERN is a glob; * also matches /. Prints what they take, what each state \
      alone holds, what deleting it would free, what keeps the rest, and where the space goes.

      Sizes of files are exact. Small files share a block when they are stored, so what is stored for one of them is its \
      share of the block: an estimate.
      """)

  @Argument(help: ArgumentHelp("The states or snapshots (default: all states)", valueName: "SNAPSHOT"))
  var chosen: [TextArgument] = []

  @Option(help: ArgumentHelp("Show what the remote NAME holds", valueName: "NAME"))
  var remote: TextArgument?

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    if remote != nil && !chosen.isEmpty { throw ValidationError("--remote is about all that a remote holds") }
  }

  func run(in session: Session) throws -> ExitStatus {
    if let remote { return try show(remote.text, session) }
    let repository = try session.openRepository()
    let options = try options(repository)
    let found = try session.monitored { try repository.statistics(options, monitor: $0) }
    if session.options.json {
      try session.write(document: StatsDocument(found))
    } else {
      for line in StatsText(form: session.form).lines(found, isChosen: !chosen.isEmpty) {
        try session.write(line: line)
      }
    }
    if found.damage == 0 { return .done }
    throw ErrorReport(
      .damaged, "the store is damaged: \(Quantity.count(found.damage, "thing")) could not be counted",
      advice: Advice.readAllData)
  }

  /// A text with wildcards is a pattern: no name has any of them.
  private func options(_ repository: Repository) throws -> StatisticsOptions {
    var options = StatisticsOptions()
    if chosen.isEmpty { return options }
    var names: [String] = []
    let existing = try repository.stateNames()
    for text in chosen.map(\.text) {
      if text.contains(where: { "*?[".contains($0) }) {
        let matching = existing.keys.filter(NamePattern(text).matches)
        if matching.isEmpty {
          throw ErrorReport(.noSuchState, "no state matches \"\(text)\"", advice: Advice.listStates)
        }
        names += matching
      } else if existing[text] != nil {
        names.append(text)
      } else {
        options.revisions.append(Revision(text))
      }
    }
    options.names = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return options
  }

  private func show(_ remote: String, _ session: Session) throws -> ExitStatus {
    let repository = try session.openRepository()
    let found = try session.reaching { access, monitor in
      try repository.remoteStatistics(of: remote, access: access, monitor: monitor)
    }
    if session.options.json {
      try session.write(document: RemoteStatisticsDocument(found))
    } else {
      for line in RemoteUpkeepText(form: session.form).statistics(found) { try session.write(line: line) }
    }
    return .done
  }
}
