// memento delete

import ArgumentParser
import MementoKit

struct DeleteCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Remove names of states",
    usage: """
      memento delete [--purge] NAME... [--pattern GLOB]...
      memento delete REMOTE/NAME...
      """,
    discussion: """
      Removes the names: all of them, or none. Prints for each the command that names the snapshot again. `memento gc` \
      frees the space later; with --purge it is freed at once, and nothing brings the states back.

      REMOTE/NAME is deleted from the remote; the state of this name here, if there is one, stays.
      """)

  @Argument(help: ArgumentHelp("The names, literally", valueName: "NAME"))
  var names: [TextArgument] = []

  @Option(
    name: .customLong("pattern"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Also all names that match this glob; * also matches /", valueName: "GLOB"))
  var patterns: [TextArgument] = []

  @Flag(help: "Free the space at once: drop their steps of the history as well, and run gc")
  var purge = false

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    if names.isEmpty && patterns.isEmpty { throw ValidationError("delete needs a NAME or a --pattern") }
  }

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(isDurable: !change.noSync, toChange: .store)
    let ofRemotes = try names.map(\.text).filter { try session.remoteParts(of: $0, in: repository) != nil }
    if !ofRemotes.isEmpty { return try delete(ofRemotes, repository, session) }
    if purge { return try purge(try chosenNames(repository), repository, session) }
    let deleted = try repository.delete(try chosenNames(repository), isDryRun: change.dryRun)
    if session.options.json {
      try session.write(document: DeleteDocument(deleted, dryRun: change.dryRun))
    } else {
      for state in deleted {
        try session.say(StoreText.deleted(state, isDryRun: change.dryRun, form: session.form))
      }
    }
    return .done
  }

  private func delete(_ ofRemotes: [String], _ repository: Repository, _ session: Session) throws -> ExitStatus {
    // Each place has its own step, and a command is one step.
    guard ofRemotes.count == names.count, patterns.isEmpty, !purge else {
      throw ErrorReport.usage("REMOTE/NAME does not go with names here, --pattern or --purge")
    }
    let deleted = try session.reaching { access, monitor in
      try repository.deleteRemoteStates(ofRemotes, isDryRun: change.dryRun, access: access, monitor: monitor)
    }
    if session.options.json {
      try session.write(document: DeleteDocument(deleted, dryRun: change.dryRun))
    } else {
      for state in deleted {
        try session.say(StoreText.deletedFromRemote(state, isDryRun: change.dryRun, form: session.form))
      }
    }
    return .done
  }

  private func purge(_ names: [String], _ repository: Repository, _ session: Session) throws -> ExitStatus {
    let summary = try session.monitored { try repository.purge(names, isDryRun: change.dryRun, monitor: $0) }
    if session.options.json {
      try session.write(document: PurgedStatesDocument(summary))
    } else {
      for line in StoreText.purged(summary, form: session.form) { try session.say(line) }
    }
    guard let count = summary.garbage?.packsNotRewritten, count > 0 else { return .done }
    let held = "\(Quantity.count(count, "pack")) could not be written anew, because the disk is full; "
    session.tell([Problem(path: "packs", message: held + Advice.finishPurge)])
    return .partial
  }

  /// The given names and the names that match a pattern, each once.
  private func chosenNames(_ repository: Repository) throws -> [String] {
    var chosen = names.map(\.text)
    if !patterns.isEmpty {
      let existing = try repository.stateNames().keys.sorted()
      for pattern in patterns {
        let matching = existing.filter(NamePattern(pattern.text).matches)
        if matching.isEmpty {
          throw ErrorReport(.noSuchState, "no state matches \"\(pattern.text)\"", advice: Advice.listStates)
        }
        chosen += matching
      }
    }
    var seen: Set<String> = []
    return chosen.filter { seen.insert($0).inserted }
  }
}
