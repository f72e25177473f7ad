// memento restore

import ArgumentParser
import MementoKit

struct RestoreCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Make the folder exactly what it was",
    usage: """
      memento restore SNAPSHOT [PATH]... [--discard] [--keep-extra] [--keep PATTERN]...
      memento restore --patch [SNAPSHOT] [PATH]...
      memento restore SNAPSHOT [PATH]... --to DIR
      memento restore SNAPSHOT [PATH] --stdout
      memento restore --continue | --abort
      """,
    discussion: """
      Changes only what differs. Removes files that the snapshot does not have, except ignored ones. Saves first what no \
      snapshot has, so that nothing is lost. With PATHs, restores only those. A PATH may be a pathspec as of git: '*.c', \
      ':!vendor', ':(icase)readme*'.

      --patch shows what would change, hunk by hunk, and asks about each: y yes, n no, q quit, ? for all keys. Nothing is \
      changed before the last answer.

      A restore that was interrupted is finished by --continue or taken back by --abort; until then the \
      folder can be looked at (list, log, status, verify), and nothing else is changed.
      """)

  @Argument(help: ArgumentHelp("What to restore: a name, an id, @~1", valueName: "SNAPSHOT"))
  var snapshot: TextArgument?

  @Argument(help: ArgumentHelp("Only these files and folders, or what these pathspecs match", valueName: "PATH"))
  var paths: [PathArgument] = []

  @Option(parsing: .unconditional, help: ArgumentHelp("Restore into a new or empty folder", valueName: "DIR"))
  var to: PathArgument?

  @Flag(name: .shortAndLong, help: "Choose hunk by hunk (SNAPSHOT: @ by default)")
  var patch = false

  @Flag(help: "Do not save what the restore overwrites")
  var discard = false

  @Flag(help: "Leave files that the snapshot does not have")
  var keepExtra = false

  @Flag(help: "As root: restore owners, setuid and devices of another user or from a remote, too")
  var asRecorded = false

  @Flag(help: "Write a value, or the one file PATH, to standard output")
  var stdout = false

  @Flag(name: .customLong("continue"), help: "Finish a restore that was interrupted")
  var isContinued = false

  @Flag(name: .customLong("abort"), help: "Take back a restore that was interrupted")
  var isAborted = false

  @OptionGroup var keeping: KeepArguments

  @OptionGroup var ignoring: IgnoreArguments

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    if isContinued || isAborted {
      let others: [(Bool, String)] = [
        (isContinued && isAborted, "--abort"), (snapshot != nil, "a SNAPSHOT"), (to != nil, "--to"),
        (stdout, "--stdout"), (discard, "--discard"), (keepExtra, "--keep-extra"), (change.dryRun, "--dry-run"),
        (ignoring.isGiven, "leaving files out"), (!keeping.keep.isEmpty, "--keep"), (patch, "--patch"),
      ]
      if let other = others.first(where: \.0)?.1 {
        throw ValidationError("\(other) does not go with \(isContinued ? "--continue" : "--abort")")
      }
      return
    }
    if patch {
      let others: [(Bool, String)] = [
        (to != nil, "--to"), (stdout, "--stdout"), (discard, "--discard"), (keepExtra, "--keep-extra"),
        (!keeping.keep.isEmpty, "--keep"), (ignoring.isGiven, "leaving files out"), (global.json, "--json"),
      ]
      if let other = others.first(where: \.0)?.1 { throw ValidationError("\(other) does not go with --patch") }
      return
    }
    if snapshot == nil { throw ValidationError("restore needs a SNAPSHOT") }
    if to != nil && (discard || keepExtra) {
      throw ValidationError("\(discard ? "--discard" : "--keep-extra") does not go with --to")
    }
    if !keeping.keep.isEmpty && (to != nil || stdout) {
      throw ValidationError("--keep does not go with \(stdout ? "--stdout" : "--to")")
    }
    if ignoring.isGiven && (to != nil || stdout) {
      throw ValidationError("leaving files out does not go with \(stdout ? "--stdout" : "--to")")
    }
    if stdout {
      let others = [
        (to != nil, "--to"), (discard, "--discard"), (keepExtra, "--keep-extra"), (asRecorded, "--as-recorded"),
        (change.dryRun, "--dry-run"), (global.json, "--json"),
      ]
      if let other = others.first(where: \.0)?.1 { throw ValidationError("\(other) does not go with --stdout") }
      if paths.count > 1 { throw ValidationError("--stdout writes one PATH") }
    }
  }

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(
      isDurable: !change.noSync, toChange: to == nil && !stdout ? .folder : nil)
    if stdout { return try write(repository, session) }
    if patch { return try restorePieces(repository, session) }
    let summary = try restore(repository, session)
    tellRescued(summary, session)
    session.tell(summary.problems)
    if session.options.json {
      try session.write(document: RestoreDocument(summary, folder: to == nil ? repository.folder : nil))
    } else {
      let text = RestoreText(form: session.form)
      for step in text.plan(summary) { try session.write(line: step) }
      try session.say(
        isAborted ? text.aborted(summary) : text.summary(summary, revision: snapshot?.text, into: to?.path))
      if let guarded = text.guard(summary, ofPaths: !paths.isEmpty) { try session.say(guarded) }
    }
    return session.status(summary.problems)
  }

  private func restore(_ repository: Repository, _ session: Session) throws -> RestoreSummary {
    guard let snapshot else {
      return try session.monitored {
        try isContinued
          ? repository.continueRestore(asRecorded: asRecorded, monitor: $0)
          : repository.abortRestore(asRecorded: asRecorded, monitor: $0)
      }
    }
    let revision = Revision(snapshot.text)
    let chosen = try session.chosenPaths(paths, in: repository, of: [revision]).collapsed
    if let to { return try extract(revision, chosen, to: session.directory.resolving(to.path), repository, session) }
    try session.bring(revision, change.dryRun ? .trees : .contents, at: chosen.toBring, repository)
    var options = RestoreOptions()
    options.paths = chosen.paths
    options.pathspecs = chosen.pathspecs
    options.discard = discard
    options.keepExtra = keepExtra
    options.asRecorded = asRecorded
    options.kept = keeping.patterns
    options.isDryRun = change.dryRun
    options.ignoring = try ignoring.options(from: session.directory)
    return try session.monitored { [options] in try repository.restore(revision, options, monitor: $0) }
  }

  private func extract(
    _ revision: Revision, _ chosen: ChosenPaths, to folder: BytePath, _ repository: Repository, _ session: Session
  ) throws -> RestoreSummary {
    var options = ExtractOptions()
    options.paths = chosen.paths
    options.pathspecs = chosen.pathspecs
    options.asRecorded = asRecorded
    options.isDryRun = change.dryRun
    guard try session.mayBeOfRemote(revision.text, repository) else {
      return try session.monitored { [options] in try repository.restore(revision, to: folder, options, monitor: $0) }
    }
    return try session.reaching { [options] access, monitor in
      try repository.restore(revision, to: folder, options, access: access, monitor: monitor)
    }
  }

  private func write(_ repository: Repository, _ session: Session) throws -> ExitStatus {
    let path = try session.relativePaths(paths, in: repository).first
    let revision = snapshot.map { Revision($0.text) } ?? .position
    try session.bring(revision, .contents, at: path.map { [$0] } ?? [], repository)
    try repository.write(revision, path: path, to: session.context.standardOutput)
    return .done
  }

  func tellRescued(_ summary: RestoreSummary, _ session: Session) {
    session.tell(
      summary.rescued.map { Problem(path: $0, message: "appeared during the restore, and is kept here") })
  }
}
