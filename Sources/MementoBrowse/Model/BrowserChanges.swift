// Restore, undo and redo: first a plan, then a yes, then the change.

import MementoKit
import MementoText

extension BrowserState {
  /// What a restore of the selection is; nil when there is nothing to restore.
  func selectedRestore() -> FolderChange? {
    guard let row = selectedRow, let snapshot = row.snapshot else { return nil }
    if focus == .detail, let line = detail.selectedLine, let path = line.path {
      let version = line.version ?? snapshot
      return .restore(version, label: version == snapshot ? label(of: row) : version.short, paths: [path])
    }
    switch row {
    // To restore what has not changed since is to take these changes back.
    case .unsaved: return .undo
    case .entry: return .restore(snapshot, label: label(of: row), paths: [])
    }
  }

  private func label(of row: TimelineRow) -> String {
    switch row {
    case .unsaved: "the last saved state"
    case .entry(let entry): entry.names.first.map { TerminalText.escaped($0) } ?? entry.snapshot.id.short
    }
  }

  mutating func plan(_ change: FolderChange?) -> [BrowserEffect] {
    guard let change else {
      message = ScreenMessage("nothing is saved yet, so there is nothing to restore")
      return []
    }
    workToken += 1
    work = .planning(change)
    return [.plan(change, token: workToken)]
  }

  mutating func show(_ plan: ChangePlan, _ token: Int) {
    guard token == workToken, case .planning? = work else { return }
    work = nil
    message = nil
    if plan.isEmpty {
      message = ScreenMessage(["nothing to change: it is like that already"])
    } else {
      dialog = .plan(plan, ListPosition())
    }
  }

  mutating func perform(_ change: FolderChange) -> [BrowserEffect] {
    workToken += 1
    work = .performing(change, progress: "")
    return [.cancelLoad, .perform(change, token: workToken)]
  }

  mutating func showProgress(_ text: String, _ token: Int) {
    guard token == workToken, case .performing(let change, _)? = work else { return }
    work = .performing(change, progress: text)
  }

  /// While something is being done, a key can only stop it.
  mutating func press(_ key: Key, during work: Work) -> [BrowserEffect] {
    switch (work, key) {
    case (.planning, .control("c")), (.planning, .escape), (.planning, .character("q")):
      // The answer belongs to another token then.
      workToken += 1
      self.work = nil
      message = ScreenMessage("nothing was changed")
      return [.cancelChange]
    case (.performing, .control("c")):
      return [.cancelChange]
    default: return []
    }
  }
}
