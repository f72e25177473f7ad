// Plans and makes changes of the folder, as the commands do.

import MementoKit

struct ChangeRunner: Sendable {
  /// More problems than this are counted, and not named.
  private static let shownProblems = 3

  let repository: Repository
  let queue: EventQueue
  let words: BrowserWords

  func plan(_ change: FolderChange, _ monitor: ChangeMonitor) {
    do throws(RepositoryError) {
      let (lines, restore) = try run(change, isDryRun: true, monitor)
      queue.post(
        .planned(
          ChangePlan(change, summary: lines + problems(of: restore), steps: restore.plan), token: monitor.token))
    } catch {
      queue.post(.changeFailed(words.alarm(error), token: monitor.token))
    }
  }

  func perform(_ change: FolderChange, _ monitor: ChangeMonitor) {
    do throws(RepositoryError) {
      let (lines, restore) = try run(change, isDryRun: false, monitor)
      let isPartial = !restore.problems.allSatisfy(\.isNote) || !restore.rescued.isEmpty
      queue.post(
        .changed(ScreenMessage(lines + problems(of: restore), isAlarm: isPartial), token: monitor.token))
    } catch {
      queue.post(.changeFailed(words.alarm(error), token: monitor.token))
    }
  }

  private func run(
    _ change: FolderChange, isDryRun: Bool, _ monitor: ChangeMonitor
  ) throws(RepositoryError) -> (lines: [String], restore: RestoreSummary) {
    switch change {
    case .restore(let snapshot, let label, let paths):
      var options = RestoreOptions()
      options.paths = paths
      options.isDryRun = isDryRun
      let summary = try repository.restore(Revision(snapshot), options, monitor: monitor)
      return (words.restored(summary, label, !paths.isEmpty), summary)
    case .undo:
      let summary = try repository.undo(isDryRun: isDryRun, monitor: monitor)
      return (words.moved(summary, change), summary.restore)
    case .redo:
      let summary = try repository.redo(isDryRun: isDryRun, monitor: monitor)
      return (words.moved(summary, change), summary.restore)
    }
  }

  /// A line for each path that was not restored fully, and for each that was kept aside.
  private func problems(of summary: RestoreSummary) -> [String] {
    let rescued = summary.rescued.map {
      Problem(path: $0, message: "appeared during the restore, and is kept here")
    }
    let all = rescued + summary.problems.filter { !$0.isNote } + summary.problems.filter(\.isNote)
    let lines = all.prefix(ChangeRunner.shownProblems).map(words.problem)
    let rest = all.count - lines.count
    return lines + (rest > 0 ? ["and \(rest) more like these"] : [])
  }
}
