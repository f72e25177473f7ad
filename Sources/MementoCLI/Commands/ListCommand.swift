// memento list

import ArgumentParser
import MementoKit

struct ListCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the states",
    usage: """
      memento list [PATTERN] [--sort name|time|size] [-z]
      memento list [--cached] REMOTE/[PATTERN] [--sort name|time] [-z]
      """,
    discussion: """
      Prints a line for each state: * where the folder is, name, id, time, files, size, message. With -z, tabs separate \
      the fields and NUL ends each record: mark, name, id, time, files, bytes, message, exactly as they are.

      REMOTE/ asks a remote for its states, and prints name, id, when and by which machine it was moved. With -z, the \
      machine comes last.
      """)

  enum Order: String, ExpressibleByArgument, CaseIterable {
    case name
    case time
    case size
  }

  @Argument(help: ArgumentHelp("Only names that match this glob; * also matches /", valueName: "PATTERN"))
  var pattern: TextArgument?

  @Option(help: ArgumentHelp("Sort by name, time (newest first) or size (largest first)", valueName: "KEY"))
  var sort = Order.name

  @Flag(help: "List what was last seen of REMOTE/, or of all remotes, and do not ask them")
  var cached = false

  @OptionGroup var records: RecordOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    try records.validate(with: global)
  }

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository()
    if let pattern, let place = try session.remoteParts(of: pattern.text, in: repository) {
      return try list(place.remote, place.rest, repository, session)
    }
    var states = try repository.states(matching: pattern.map { NamePattern($0.text) })
    if states.isEmpty, let text = pattern?.text, text.hasSuffix("/") {
      // Only a remote is written so. The library says that there is none.
      _ = try repository.states(ofRemote: String(text.dropLast()))
    }
    sort(&states)
    let table = StateTable(form: session.form)
    if session.options.json {
      let seen = cached ? try seen(in: repository) : nil
      try session.write(document: ListDocument(states, ofRemotes: seen))
    } else if records.isNullSeparated {
      try session.write(NullRecords.bytes(table.records(states)))
    } else {
      for line in table.lines(states) { try session.write(line: line) }
    }
    if cached, !session.options.json { try write(try seen(in: repository), session) }
    let unread = states.count { $0.problem != nil && !$0.isNewer }
    let newer = states.count { $0.isNewer }
    if unread == 0, newer > 0 {
      throw ErrorReport(
        .newerFormat, "\(newer == 1 ? "1 state was" : "\(newer) states were") saved by a newer memento",
        advice: Advice.newerMemento)
    }
    if unread == 0 { return .done }
    throw ErrorReport(
      .damaged, "the store is damaged: \(unread == 1 ? "1 state" : "\(unread) states") cannot be read",
      advice: Advice.readAllData)
  }

  private func list(
    _ remote: String, _ pattern: String, _ repository: Repository, _ session: Session
  ) throws -> ExitStatus {
    if sort == .size { throw ErrorReport.usage("a remote does not tell the sizes of its states") }
    if !cached {
      var options = FetchOptions()
      options.remote = remote
      _ = try session.reaching { [options] access, monitor in
        try repository.fetch(options, access: access, monitor: monitor)
      }
    }
    var states = try repository.states(ofRemote: remote)
    if !pattern.isEmpty {
      let wanted = NamePattern("\(remote)/\(pattern)")
      states = states.filter { wanted.matches($0.name) }
    }
    if sort == .time { states.sort { $0.time > $1.time } }
    if session.options.json {
      try session.write(document: RemoteStatesDocument(remote, states))
    } else {
      try write(states, session)
    }
    return .done
  }

  private func write(_ states: [RemoteState], _ session: Session) throws {
    let table = RemoteStateTable(form: session.form)
    if records.isNullSeparated { return try session.write(NullRecords.bytes(table.records(states))) }
    for line in table.lines(states) { try session.write(line: line) }
  }

  /// What was last seen of all remotes, as far as it matches the pattern.
  private func seen(in repository: Repository) throws -> [RemoteState] {
    let states = try repository.remotes().flatMap { try repository.states(ofRemote: $0.name) }
    guard let wanted = pattern.map({ NamePattern($0.text) }) else { return states }
    return states.filter { wanted.matches($0.name) }
  }

  /// Sorts by the chosen key, and by name where the key is equal. States that cannot be read come last.
  private func sort(_ states: inout [ListedState]) {
    switch sort {
    case .name: break
    case .time: sort(&states) { $0.time > $1.time }
    case .size: sort(&states) { $0.bytes > $1.bytes }
    }
  }
  private func sort(_ states: inout [ListedState], _ precedes: (Snapshot, Snapshot) -> Bool) {
    states.sort { left, right in
      if left.problem != nil || right.problem != nil { return left.problem == nil && right.problem != nil }
      return precedes(left.snapshot, right.snapshot)
    }
  }
}
