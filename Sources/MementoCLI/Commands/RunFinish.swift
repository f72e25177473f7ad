// What `memento run` does after the command has ended: it saves what the command has left, and takes back all of it, or
// what it touched outside of --only. Everything is saved before anything is taken back.

import MementoKit

struct RunFinish {
  let repository: Repository
  let session: Session
  /// The words of the command line.
  let command: [BytePath]
  let name: String?
  let restoresOnFailure: Bool
  /// Patterns in gitignore's grammar. What the command touched outside of them is taken back. Empty: it may touch
  /// everything.
  let only: [[UInt8]]

  func run(after before: SaveSummary, _ end: ProcessEnd, milliseconds: Int) throws -> RunResult {
    let isTakenBack = restoresOnFailure && end.failure != nil
    // `timeout` and similar programs send a signal to the command and another to this program. The signal that ended
    // the command must not stop this program from taking back what the command did.
    let heedsSignals = !isTakenBack && only.isEmpty
    // The name is for a state that the folder keeps, not for one that is taken back.
    let done = CommandRun(
      command, status: UInt8(truncatingIfNeeded: end.status), milliseconds: UInt64(max(0, milliseconds)))
    let after = try save(as: isTakenBack || !only.isEmpty ? nil : name, done, heedsSignals: heedsSignals)
    session.tell(after.problems)
    var result = RunResult(
      command: command[0], failure: end.failure, status: end.status, signal: end.signal, before: before.snapshot,
      after: after.snapshot,
      changes: try repository.countChanges(from: before.snapshot.id, to: after.snapshot.id),
      problems: before.problems + after.problems)
    result.milliseconds = milliseconds
    result.listed = try repository.changes(from: before.snapshot.id, to: after.snapshot.id)
    if !only.isEmpty {
      var options = ChangeListOptions()
      options.hiding = only
      result.outside = try repository.changes(from: before.snapshot.id, to: after.snapshot.id, options)
    }
    if isTakenBack {
      guard after.snapshot.id != before.snapshot.id else { return result }
      try takeBack(keeping: [], &result)
      result.isTakenBack = true
      result.now = before.snapshot
    } else if !only.isEmpty {
      if !result.outside.isEmpty { try takeBack(keeping: only, &result) }
      result.now = try save(as: name, nil, heedsSignals: false).snapshot
    }
    return result
  }

  /// `done`: the command that made the changes.
  private func save(as name: String?, _ done: CommandRun?, heedsSignals: Bool) throws -> SaveSummary {
    var options = SaveOptions(name: name)
    options.command = done
    return try session.monitored(heedsSignals: heedsSignals) { [options] in
      try repository.save(options, monitor: $0)
    }
  }

  /// Restores what was before the command, but for what the patterns match.
  private func takeBack(keeping kept: [[UInt8]], _ result: inout RunResult) throws {
    var options = RestoreOptions()
    options.kept = kept
    options.followsTimeline = kept.isEmpty
    let restored = try session.monitored(heedsSignals: false) { [options, before = result.before] in
      try repository.restore(Revision(before.id), options, monitor: $0)
    }
    session.tell(restored.problems)
    result.problems += restored.problems
  }
}
