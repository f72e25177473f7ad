// memento revert

import ArgumentParser
import MementoKit

struct RevertCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "revert",
    abstract: "Take back what changed between two snapshots, and keep later work",
    usage: "memento revert A..B [PATH]... [-n]",
    discussion: """
      Takes back what changed from A to B in the folder as it is. What was changed since, elsewhere or in other lines of \
      the same files, stays. Saves first what no snapshot has, so that `memento undo` takes the revert back.

      Where the same lines were changed later, the file has both, between <<<<<<< and >>>>>>>. Where there are no lines to \
      join, the present file stays. Each such path is named, and the exit status is 1. A side of A..B that is left out is @.
      """)

  @Argument(help: ArgumentHelp("Between which snapshots", valueName: "A..B"))
  var range: TextArgument

  @Argument(help: ArgumentHelp("Only these files and folders, or what these pathspecs match", valueName: "PATH"))
  var paths: [PathArgument] = []

  @Flag(help: "As root: restore owners, setuid and devices of another user or from a remote, too")
  var asRecorded = false

  @OptionGroup var change: ChangeOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository(isDurable: !change.noSync, toChange: .folder)
    let (from, to) = try ends(in: repository)
    let chosen = try session.chosenPaths(paths, in: repository, of: [from, to]).collapsed
    try session.bring(from, .contents, at: chosen.toBring, repository)
    try session.bring(to, .contents, at: chosen.toBring, repository)
    var options = RevertOptions()
    options.paths = chosen.paths
    options.pathspecs = chosen.pathspecs
    options.isDryRun = change.dryRun
    options.asRecorded = asRecorded
    let summary = try session.monitored { [options] in
      try repository.revert(from: from, to: to, options, monitor: $0)
    }
    let restored = summary.restore
    session.tell(restored.rescued.map { Problem(path: $0, message: "appeared during the revert, and is kept here") })
    session.tell(restored.problems)
    if session.options.json {
      try session.write(document: RevertDocument(summary, folder: repository.folder))
    } else {
      let text = RestoreText(form: session.form)
      for step in text.plan(restored) { try session.write(line: step) }
      for path in summary.merged {
        try session.say("\(restored.isCommitted ? "merged" : "would merge") \(TerminalText.escaped(path))")
      }
      try session.say(text.reverted(restored, range.text))
      if let guarded = text.guard(restored, ofPaths: true) { try session.say(guarded) }
    }
    session.tell(summary.conflicts.map { Problem(path: $0.path, message: $0.sentence(isPlan: change.dryRun)) })
    return summary.conflicts.isEmpty ? session.status(restored.problems) : .failed
  }

  /// The two snapshots. Names may have dots: the first pair counts that exists.
  private func ends(in repository: Repository) throws -> (Revision, Revision) {
    let text = range.text
    var first: (Revision, Revision)?
    var rest = text.startIndex
    while let dots = text[rest...].firstRange(of: "..") {
      func side(_ part: Substring) -> Revision { part.isEmpty ? .position : Revision(String(part)) }
      let pair = (side(text[..<dots.lowerBound]), side(text[dots.upperBound...]))
      if first == nil { first = pair }
      if exists(pair.0, repository), exists(pair.1, repository) { return pair }
      rest = text.index(after: dots.lowerBound)
    }
    guard let first else {
      throw ErrorReport.usage(
        "\"\(TerminalText.escaped(BytePath(text)))\" is not A..B", advice: Advice.revertRange)
    }
    return first
  }

  private func exists(_ revision: Revision, _ repository: Repository) -> Bool {
    do {
      _ = try repository.snapshot(revision)
      return true
    } catch {
      return false  // the revert itself says why
    }
  }
}

extension RevertConflict {
  /// What is in the way, for people.
  fileprivate func sentence(isPlan: Bool) -> String {
    switch kind {
    case .lines:
      "\(Quantity.count(marks, "conflict"))\(isPlan ? "" : ", between <<<<<<< and >>>>>>>"): the same lines were changed later"
    case .content: "changed later, and is not text: it stays as it is"
    case .type: "something else is here now: it stays as it is"
    case .metadata: "its mode, owner or attributes were changed later: they stay as they are"
    case .removed: "removed later: it stays removed"
    case .present: "made or changed later: it stays as it is"
    default: "changed later: it stays as it is"
    }
  }
}
